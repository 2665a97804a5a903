package sim

// LanguageMode is how a site stores its languages, which depends on the plugin that it
// has for them.
type LanguageMode string

// The modes. Behaviour that is not marked as recorded follows the source of the plugin.
const (
	// Apart has a site for each language, below a directory. Recorded.
	Apart LanguageMode = ""

	// Fallback is WPML with content that is translatable and falls back to the
	// default language: below a directory, what has no translation is shown in the
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

	// OneIDTranslated is TranslatePress with a filter of the site's own: titles and
	// names are translated. Recorded (translatepress, glue-*).
	OneIDTranslated LanguageMode = "one-id-translated"
)

// LanguageModes are all modes but Apart.
var LanguageModes = []LanguageMode{ByParameter, Fallback, Mixed, OneID, OneIDTranslated}

// byParameter reports whether the parameter lang names the language, and no directory.
func (m LanguageMode) byParameter() bool { return m == Mixed || m == ByParameter }

// declares reports whether the plugin, or what stands in for it, has a parameter of its
// own on every route.
func (m LanguageMode) declares() bool { return m == Apart || m == Fallback }

// oneItem reports whether a translation has the id of its original.
func (m LanguageMode) oneItem() bool { return m == OneID || m == OneIDTranslated }

// languages are those of a site. Those of one WordPress have its zone and currency.
func (m LanguageMode) languages() []*language {
	if m == Apart {
		return languages
	}
	first := languages[0]
	all := make([]*language, len(languages))
	for i, l := range languages {
		own := *l
		own.zone, own.currency, own.symbol = first.zone, first.currency, first.symbol
		switch {
		case m.byParameter():
			own.pages = first.pages
		case m.oneItem():
			own.name, own.tagline = first.name, first.tagline
			own.pages.events, own.pages.event, own.pages.tag = first.pages.events, first.pages.event, first.pages.tag
		}
		all[i] = &own
	}
	return all
}

// langArg names a language for Polylang, in the query or in the body of any request.
const langArg = "lang"
