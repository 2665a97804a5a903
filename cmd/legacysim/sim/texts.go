package sim

import "fmt"

// message names a text that errors show.
type message string

const (
	msgMissing       message = "missing" // names
	msgInvalid       message = "invalid" // names
	msgInvalidOne    message = "invalid one"
	msgType          message = "type" // name, type
	msgEnum          message = "enum" // name
	msgNoRoute       message = "no route"
	msgForbidden     message = "forbidden"
	msgNonce         message = "nonce"
	msgJSON          message = "json"
	msgPageEvent     message = "page event"
	msgPageVenue     message = "page venue"
	msgPageOrganizer message = "page organizer"
	msgHidden        message = "hidden event"
	msgHiddenVenue   message = "hidden venue"
	msgHiddenOrg     message = "hidden org"
	msgPassword      message = "password"
	msgNoEvent       message = "no event" // id
	msgNotAnEvent    message = "not an event"
	msgGone          message = "gone"
	msgTrashed       message = "trashed" // noun
	msgTickets       message = "tickets"
	msgTermParent    message = "term parent"
	msgTermTaken     message = "term taken"
	msgUsername      message = "username"
	msgAppPassword   message = "app password"
	msgEmail         message = "email"
	msgCritical      message = "critical"
	msgFlat          message = "flat"
	msgNewVenue      message = "new venue"
	msgNewOrganizer  message = "new organizer"
)

// texts are the messages by language. What a language lacks shows in English,
// as it does on the real site where the plugin's translation has holes.
var texts = map[string]map[message]string{
	"en": {
		msgMissing:       "Missing parameter(s): %s",
		msgInvalid:       "Invalid parameter(s): %s",
		msgInvalidOne:    "Invalid parameter.",
		msgType:          "%s is not of type %s.",
		msgEnum:          "%s is not one of en, fr, de, and es.",
		msgNoRoute:       "No route was found matching the URL and request method.",
		msgForbidden:     "Sorry, you are not allowed to do that.",
		msgNonce:         "Cookie check failed",
		msgJSON:          "Invalid JSON body passed.",
		msgPageEvent:     "The requested event archive page does not exist",
		msgPageVenue:     "The requested venue archive page does not exist",
		msgPageOrganizer: "The requested organizer archive page does not exist",
		msgHidden:        "The requested event is not accessible",
		msgHiddenVenue:   "The requested venue is not accessible",
		msgHiddenOrg:     "The requested organizer is not accessible",
		msgPassword:      "The requested event is not accessible without a password",
		msgNoEvent:       "Event with ID %s does not exist.",
		msgNotAnEvent:    "The specified ID is not a valid event.",
		msgGone:          "This event is no longer available",
		msgTrashed:       "The %s is already trashed",
		msgTickets:       "Event Tickets plugin is not activated.",
		msgTermParent:    "A term with the name provided already exists with this parent.",
		msgTermTaken:     "A term with the name provided already exists in this taxonomy.",
		msgUsername:      "<strong>Error:</strong> Unknown username. Check again or try your email address.",
		msgEmail:         "<strong>Error:</strong> Unknown email address. Check again or try your username.",
		msgAppPassword:   "The provided password is an invalid application password.",
		msgCritical: `<p>There has been a critical error on this website.</p><p><a href="https://wordpress.org/documentation/article/faq-troubleshooting/">` +
			`Learn more about troubleshooting WordPress.</a></p>`,
		msgFlat:         "Cannot set parent term, taxonomy is not hierarchical.",
		msgNewVenue:     "The venue could not be created from the provided data",
		msgNewOrganizer: "The organizer could not be created from the provided data",
	},
	"es": {
		msgMissing:       "Parámetro(s) que falta(n): %s",
		msgInvalid:       "Parámetro(s) no válido(s): %s",
		msgInvalidOne:    "Parámetro no válido. ",
		msgType:          "%s no es del tipo %s.",
		msgEnum:          "%s no es uno de en, fr, de y es.",
		msgNoRoute:       "No se ha encontrado ninguna ruta que coincida con la URL y el método de la solicitud.",
		msgForbidden:     "Lo siento, no tienes permisos para hacer eso.",
		msgNonce:         "Ha fallado la comprobación de la cookie",
		msgJSON:          "Se ha pasado un cuerpo JSON no válido.",
		msgPageEvent:     "La página de archivo de evento solicitada no existe",
		msgPageVenue:     "La página de archivo del recinto solicitado no existe",
		msgPageOrganizer: "La página de archivo del organizador solicitada no existe",
		msgHidden:        "El evento solicitado no está accesible",
		msgPassword:      "No se puede acceder al evento solicitado sin contraseña",
	},
	"de": {
		msgMissing:       "Fehlende(r) Parameter: %s",
		msgInvalid:       "Ungültige(r) Parameter: %s",
		msgInvalidOne:    "Der Parameter ist ungültig.",
		msgType:          "%s ist nicht vom Typ %s.",
		msgEnum:          "%s ist nicht eins von en, fr, de und es.",
		msgNoRoute:       "Es wurde keine Route gefunden, die mit der URL und der Request-Methode identisch ist.",
		msgForbidden:     "Du bist leider nicht berechtigt, diese Aktion durchzuführen.",
		msgNonce:         "Die Cookie-Prüfung ist fehlgeschlagen",
		msgJSON:          "Ungültiger JSON-Body übergeben.",
		msgPageEvent:     "Die angeforderte Veranstaltungs Archivseite existiert nicht",
		msgPageVenue:     "Die angeforderte Archivseite für den Veranstaltungsort existiert nicht",
		msgPageOrganizer: "Die angeforderte Veranstalter Archivseite existiert nicht",
		msgHidden:        "Die angeforderte Veranstaltung ist nicht zugänglich",
		msgPassword:      "Das angeforderte Event ist ohne Passwort nicht zugänglich.",
	},
	"fr": {
		msgMissing:       "Paramètre(s) manquant(s)\u00a0: %s",
		msgInvalid:       "Paramètre(s) non valide(s)\u00a0: %s",
		msgInvalidOne:    "Paramètre non valide.",
		msgType:          "%s n’est pas de type %s.",
		msgEnum:          "%s ne fait pas partie de en, fr, de, et es.",
		msgNoRoute:       "Aucune route correspondante à l’URL et à la méthode de requête n’a été trouvée.",
		msgForbidden:     "Désolé, vous n’avez pas l’autorisation de faire cela.",
		msgNonce:         "La vérification du cookie a échoué",
		msgJSON:          "Le corps JSON transmis n’est pas valide.",
		msgPageEvent:     "La page d’archive de l’évènement demandée n’existe pas",
		msgPageVenue:     "La page d’archive du lieu demandée n’existe pas",
		msgPageOrganizer: "La page d’archive de l’organisateur demandée n’existe pas",
		msgHidden:        "L’évènement demandé n’est pas accessible",
	},
}

func (l *language) text(m message, args ...any) string {
	s, ok := texts[l.code][m]
	if !ok {
		s = texts["en"][m]
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}
