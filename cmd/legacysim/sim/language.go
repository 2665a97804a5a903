package sim

import (
	"embed"
	"slices"
	"sync"
	"time"
	_ "time/tzdata" // the zones must be there in an image without any

	"go.yaml.in/yaml/v3"
)

// language is one of the site's languages, laid out as WPML lays them out.
type language struct {
	code      string
	prefix    string // of the path: "" or "/es"
	zone      *time.Location
	firstPost int // ids begin after it
	firstTerm int
	seedTexts
}

// seedTexts are the texts of a language: a file of the directory seed.
type seedTexts struct {
	Locale, Zone, Name, Tagline, Currency, Symbol string // of the site

	Quotes [4]string // double and single, opening and closing
	// Pages are the first path segments of pages on the site.
	Pages struct{ Events, Event, Venue, Organizer, Category, Tag string }

	Categories []struct{ Name, Parent string } // the parent comes before the category
	Tags       []string
	Venues     []struct{ Name, Address, City, Zip string }
	Organizers []string
	Series     []struct { // events that repeat
		Title    string
		Category int // index in Categories
		Cost     string
		Hour     int
	}
	Images     []imageData // of all languages
	Rounds     int         // how often each of the series takes place
	Paragraphs []string
	Special    map[string]string // texts of the special cases
	Messages   map[int]string    // of errors, by status
}

// imageData describes an uploaded file.
type imageData struct {
	Path, Mime string // Path is below /wp-content/uploads/
	imageSize  `yaml:",inline"`
	Sizes      []imageSize // smaller images that WordPress has made, in the order of WordPress
}

type imageSize struct {
	Name                 string
	Width, Height, Bytes int
}

//go:embed seed/*.yaml
var seedFiles embed.FS

// languages begins with the default one. The prefixes of the others make up the roots.
var languages = sync.OnceValue(func() (result []*language) {
	for i, code := range []string{"en", "es", "de", "fr"} {
		l := &language{code: code, prefix: "/" + code, firstPost: 20_000 * i, firstTerm: 2000 * i}
		if i == 0 {
			l.prefix = ""
		}
		data, err := seedFiles.ReadFile("seed/" + code + ".yaml")
		if err == nil {
			err = yaml.Unmarshal(data, &l.seedTexts)
		}
		if err != nil {
			panic("BUG: " + err.Error())
		}
		l.zone = zone(l.Zone)
		result = append(result, l)
	}
	return result
})

// LanguageMode is the way in which a site stores languages, which depends on the plugin for languages.
type LanguageMode string

// The modes. Behaviour that is not marked as recorded follows the source of the plugin.
const (
	// Apart has a site for each language, below a directory. Recorded.
	Apart LanguageMode = ""

	// Fallback is WPML with content that is translatable and falls back to the
	// default language: below a directory, an item without translation is shown in the
	// default language. Not recorded.
	Fallback LanguageMode = "fallback"

	// Mixed is Polylang, free: one root, where lists of posts hold all languages and
	// the parameter lang selects terms alone. Recorded (polylang).
	Mixed LanguageMode = "mixed"

	// ByParameter is Polylang with a few lines of the site's own: lists of posts
	// follow lang, too. Recorded (polylang, glue-*).
	ByParameter LanguageMode = "by-parameter"

	// OneID is TranslatePress, free: below each directory the same items, with links
	// of that directory. Recorded (translatepress).
	OneID LanguageMode = "one-id"
)

// LanguageModes are all modes but Apart.
var LanguageModes = []LanguageMode{ByParameter, Fallback, Mixed, OneID}

// byParameter reports whether the parameter lang names the language, and no directory.
func (m LanguageMode) byParameter() bool { return m == Mixed || m == ByParameter }

// declares reports whether the plugin, or the stand-in for the plugin, has a parameter on every route.
func (m LanguageMode) declares() bool { return m == Apart || m == Fallback }

// oneItem reports whether a translation has the id of its original.
func (m LanguageMode) oneItem() bool { return m == OneID }

// languages are the languages of a site. All languages of one WordPress have the zone, the
// currency and the pages of the site.
func (m LanguageMode) languages() []*language {
	if m == Apart {
		return languages()
	}
	first := languages()[0]
	copies := slices.Clone(languages())
	for i, l := range copies {
		clone := *l
		clone.zone = first.zone
		clone.Currency = first.Currency
		clone.Symbol = first.Symbol
		clone.Pages = first.Pages
		if m.oneItem() {
			clone.Name = first.Name
			clone.Tagline = first.Tagline
		}
		copies[i] = &clone
	}
	return copies
}

// langArg names a language for Polylang, in the query or in the body of any request.
const langArg = "lang"
