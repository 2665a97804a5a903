package sim

import (
	"time"
	_ "time/tzdata" // the zones must be there in an image without any
)

// language is one of the site's languages, laid out as WPML lays them out.
type language struct {
	code      string
	prefix    string // of the path: "" or "/es"
	locale    string
	zone      *time.Location
	name      string // of the site
	tagline   string
	currency  string
	symbol    string
	quotes    [4]string // double and single, opening and closing
	firstPost int       // ids begin after it
	firstTerm int
	// pages are the first path segments of pages on the site.
	pages pageNames
}

type pageNames struct {
	events, event, venue, organizer, category, tag string
}

// languages begins with the default one. The prefixes of the others make up
// the roots.
var languages = []*language{
	{
		code: "en", locale: "en-GB", zone: zone("Europe/London"),
		name: "Harbour City Events", tagline: "Everything on by the water",
		currency: "GBP", symbol: "£", quotes: [4]string{"&#8220;", "&#8221;", "&#8216;", "&#8217;"},
		pages: pageNames{"events", "event", "venue", "organizer", "category", "tag"},
	},
	{
		code: "es", prefix: "/es", locale: "es-ES", zone: zone("Europe/Madrid"),
		name: "Eventos Ciudad Puerto", tagline: "Todo lo que pasa junto al agua",
		currency: "EUR", symbol: "€", quotes: [4]string{"«", "»", "&#8220;", "&#8221;"},
		firstPost: 20000, firstTerm: 2000,
		pages: pageNames{"eventos", "evento", "recinto", "organizador", "categoria", "etiqueta"},
	},
	{
		code: "de", prefix: "/de", locale: "de-DE", zone: zone("Europe/Berlin"),
		name: "Hafenstadt Veranstaltungen", tagline: "Was am Wasser los ist",
		currency: "EUR", symbol: "€", quotes: [4]string{"&#8222;", "&#8220;", "&#8218;", "&#8216;"},
		firstPost: 40000, firstTerm: 4000,
		pages: pageNames{"veranstaltungen", "veranstaltung", "veranstaltungsort", "veranstalter", "kategorie", "schlagwort"},
	},
	{
		code: "fr", prefix: "/fr", locale: "fr-FR", zone: zone("Europe/Paris"),
		name: "Agenda du Port", tagline: "Tout ce qui se passe au bord de l’eau",
		currency: "EUR", symbol: "€", quotes: [4]string{"«&nbsp;", "&nbsp;»", "&#8220;", "&#8221;"},
		firstPost: 60000, firstTerm: 6000,
		pages: pageNames{"evenements", "evenement", "lieu", "organisateur", "categorie", "etiquette"},
	},
}

// zone loads a zone that is known to exist: the data is linked in.
func zone(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return loc
}
