package sim

import "fmt"

// argTexts are the two sentences that every description is made of: for a
// field of something, and for a filter of a list.
var argTexts = map[string]struct{ field, filter string }{
	"en": {"The %[2]s's field %[1]q", "Which %[2]s to list, by %[1]q"},
	"es": {"El campo «%[1]s» de: %[2]s", "Qué mostrar de «%[2]s», según «%[1]s»"},
	"de": {"Das Feld „%[1]s“ von: %[2]s", "Was von „%[2]s“ gezeigt wird, nach „%[1]s“"},
	"fr": {"Le champ «\u00a0%[1]s\u00a0» de\u00a0: %[2]s", "Ce qui est listé de «\u00a0%[2]s\u00a0», selon «\u00a0%[1]s\u00a0»"},
}

// nouns are the resources in the languages of the site.
var nouns = map[string]map[string]string{
	"es": {"event": "evento", "venue": "recinto", "organizer": "organizador", "event category": "categoría", "event tag": "etiqueta"},
	"de": {"event": "Veranstaltung", "venue": "Veranstaltungsort", "organizer": "Veranstalter", "event category": "Kategorie", "event tag": "Schlagwort"},
	"fr": {"event": "évènement", "venue": "lieu", "organizer": "organisateur", "event category": "catégorie", "event tag": "étiquette"},
}

func (l *language) describeArg(a arg, noun string) string {
	if own := nouns[l.code][noun]; own != "" {
		noun = own
	}
	text := argTexts[l.code].field
	if a.filter {
		text = argTexts[l.code].filter
	}
	return fmt.Sprintf(text, a.name, noun)
}
