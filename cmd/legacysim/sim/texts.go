package sim

import (
	"fmt"

	"github.com/calfacade/calfacade/i18n"
)

// translations are messages of errors by language and English text. What a language lacks shows in
// English, as it does on the real site where the plugin's translation has holes.
var translations = map[string]map[string]string{
	"es": {
		"Sorry, you are not allowed to do that.":                   "Lo siento, no tienes permisos para hacer eso.",
		"The requested event archive page does not exist":          "La página de archivo de evento solicitada no existe",
		"The requested venue archive page does not exist":          "La página de archivo del recinto solicitado no existe",
		"The requested organizer archive page does not exist":      "La página de archivo del organizador solicitada no existe",
		"The requested event is not accessible":                    "El evento solicitado no está accesible",
		"The requested event is not accessible without a password": "No se puede acceder al evento solicitado sin contraseña",
	},
	"de": {
		"Sorry, you are not allowed to do that.":                   "Du bist leider nicht berechtigt, diese Aktion durchzuführen.",
		"Cookie check failed":                                      "Die Cookie-Prüfung ist fehlgeschlagen",
		"The requested event archive page does not exist":          "Die angeforderte Veranstaltungs Archivseite existiert nicht",
		"The requested venue archive page does not exist":          "Die angeforderte Archivseite für den Veranstaltungsort existiert nicht",
		"The requested organizer archive page does not exist":      "Die angeforderte Veranstalter Archivseite existiert nicht",
		"The requested event is not accessible":                    "Die angeforderte Veranstaltung ist nicht zugänglich",
		"The requested event is not accessible without a password": "Das angeforderte Event ist ohne Passwort nicht zugänglich.",
	},
	"fr": {
		"Sorry, you are not allowed to do that.":          "Désolé, vous n’avez pas l’autorisation de faire cela.",
		"The requested event archive page does not exist": "La page d’archive de l’évènement demandée n’existe pas",
		"The requested event is not accessible":           "L’évènement demandé n’est pas accessible",
	},
}

// text is a message in the language.
func (l *language) text(english string, args ...any) string {
	s, ok := translations[l.code][english]
	if !ok {
		s = english
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// shared is a message of WordPress that the catalogs have; pairs are its placeholders and their values.
func (l *language) shared(key string, pairs ...string) string {
	args := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	return i18n.Catalog(l.code).Text(key, args)
}
