package sim

import (
	"slices"
	"sync"
	"time"
	_ "time/tzdata" // the zones must be there in an image without any

	"go.yaml.in/yaml/v3"
)

// blog is all content of one WordPress. Where the languages are sites apart, posts and
// terms share nothing with the other languages, not even ids.
type blog struct {
	lang     *language // of added items
	posts    map[int]*post
	byID     []*post // the same, in order; no post ever leaves
	terms    map[int]*term
	lastPost int
	lastTerm int

	translations map[[2]string]*item // by group and language; empty but in the mode Fallback
}

func newBlog(lang *language) *blog {
	return &blog{
		lang: lang, posts: map[int]*post{}, terms: map[int]*term{}, lastPost: lang.firstPost, lastTerm: lang.firstTerm,
		translations: map[[2]string]*item{},
	}
}

// addPost adds the post with the next id.
func (b *blog) addPost(p *post) *post {
	b.lastPost++
	p.id = b.lastPost
	p.lang = b.lang
	return b.put(p)
}

// put adds a post that has an id.
func (b *blog) put(p *post) *post {
	b.posts[p.id] = p
	index, _ := slices.BinarySearchFunc(b.byID, p.id, func(p *post, id int) int { return p.id - id })
	b.byID = slices.Insert(b.byID, index, p)
	return p
}

func (b *blog) addTerm(t *term) *term {
	b.lastTerm++
	t.id = b.lastTerm
	t.lang = b.lang
	b.terms[t.id] = t
	return t
}

// post returns the post of that id, or nil. A post that was planted as missing is not found.
func (b *blog) post(id int) *post {
	if p := b.posts[id]; p != nil && !p.isMissing {
		return p
	}
	return nil
}

// find returns the post of that kind and id, or nil.
func (b *blog) find(k kind, id int) *post {
	if p := b.post(id); p != nil && p.kind == k {
		return p
	}
	return nil
}

// selectPosts returns the posts of a kind that pass, by id.
func (b *blog) selectPosts(k kind, pass func(*post) bool) []*post {
	var out []*post
	for _, p := range b.byID {
		if p.kind == k && !p.isMissing && pass(p) {
			out = append(out, p)
		}
	}
	return out
}

// newBlogs seeds the content of each language: one for all but in the mode Apart.
func (s *Site) newBlogs() map[string]*blog {
	now := s.opts.Clock()
	n := s.opts.Events
	if s.opts.Languages.oneItem() { // and the other languages have no separate events
		return s.shared(seed(s.languages[0], now, n))
	}
	blogs := map[string]*blog{}
	joint := newBlog(s.languages[0])
	for i, lang := range s.languages { // events are dealt in turn, the first to the default language
		b := seed(lang, now, (n+len(s.languages)-1-i)/len(s.languages))
		blogs[lang.code] = b
		if s.opts.Languages != Apart {
			joint.take(b)
		}
		if s.opts.Languages == Fallback {
			joint.groupItems(b)
		}
	}
	if s.opts.Languages == Apart {
		return blogs
	}
	return s.shared(joint)
}

func (s *Site) shared(joint *blog) map[string]*blog {
	blogs := map[string]*blog{}
	for _, lang := range s.languages {
		blogs[lang.code] = joint
	}
	return blogs
}

// language is one of the site's languages, laid out as WPML lays them out.
type language struct {
	code      string
	prefix    string // of the path: "" or "/es"
	zone      *time.Location
	firstPost int // ids begin after it
	firstTerm int
	seedTexts
}

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
