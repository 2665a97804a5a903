package sim

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// translation maps ids and words of the recorded site to those that play the
// same role in the seed. A text that is in no map, such as 999999, stays as it is.
type translation struct {
	posts, terms map[int]int
	words        map[string]string
	seeded       map[int]bool // recorded ids of items that both sites had from the start
}

// recordedSpecials is the recorded id of the sticky event by language: the
// other special ones follow in steps of two.
var recordedSpecials = map[string]int{"en": 583, "es": 20149, "de": 40149, "fr": 60071}

func newTranslation(s *Site) *translation {
	tr := &translation{posts: map[int]int{}, terms: map[int]int{}, words: map[string]string{}, seeded: map[int]bool{}}
	for _, lang := range languages() {
		b := s.blogs[lang.code]
		t := seedOf(lang.code).Special
		specials := []string{
			t["sticky"], t["hidden"], t["featured"], t["locked"], t["draft"], t["pending"], t["private"], t["trashed"], t["selftitle"],
			t["html"], t["emoji"],
			seedOf("en").Special["rtltitle"], t["trio"], t["pair"], t["festival"], t["offset"], t["far"], "", t["instant"], t["child"],
			t["future"], t["atlocked"], t["contributed"],
		}
		for i, title := range specials {
			for _, p := range b.selectPosts(eventKind, func(p *post) bool { return p.title == title }) {
				tr.posts[recordedSpecials[lang.code]+2*i] = p.id
			}
		}
	}
	tr.mapEnglish(s.blogs["en"])
	for _, p := range s.blogs["en"].selectPosts(eventKind, func(p *post) bool { return p.past(s.opts.Clock()) }) {
		tr.posts[253] = p.id
	}
	for code, first := range map[string]int{"es": 20000, "de": 40000} {
		b := s.blogs[code]
		tr.posts[first+11] = nth(b, venueKind, 1)
		tr.posts[first+5] = nth(b, venueKind, 1)
		tr.posts[first+41] = nth(b, organizerKind, 1)
		tr.terms[first/10+1] = first/10 + 1
		tr.terms[first/10+13] = first/10 + len(seedOf(code).Categories) + 1
	}
	tr.mapFrench(s.blogs["fr"])
	tr.words["gala-destacada"] = slugify(seedOf("es").Special["featured"])
	tr.words["hervorgehobene-gala"] = slugify(seedOf("de").Special["featured"])
	for id := range tr.posts {
		tr.seeded[id] = true
	}
	for id := range tr.terms {
		tr.seeded[id] = true
	}
	return tr
}

// past reports whether the post is an event that is over, and refers to one of
// everything.
func (p *post) past(now time.Time) bool {
	e := p.event
	return e.end.Before(now.AddDate(0, 0, -2)) && len(e.venues) > 0 && len(e.organizers) > 0 && len(e.categories) > 0 && len(e.tags) > 0
}

// mapEnglish knows the roles of the default language.
func (tr *translation) mapEnglish(b *blog) {
	categories := len(seedOf("en").Categories)
	for recorded, own := range map[int]int{10: 1, 11: 2, 12: 3, 34: categories + 1, 35: categories + 2, 36: categories + 3} {
		tr.terms[recorded] = own
	}
	tr.terms[1] = 999991 // a category of posts
	tr.terms[63] = categories + 1 + slices.Index(seedOf("en").Tags, "C++")
	for i := range 3 {
		tr.posts[100+i] = nth(b, imageKind, i)
	}
	venues := len(seedOf("en").Venues)
	for recorded, n := range map[int]int{103: 0, 105: 1, 107: 2, 111: 4, 117: venues - 2, 129: venues - 1} {
		tr.posts[recorded] = nth(b, venueKind, n)
	}
	organizers := len(seedOf("en").Organizers)
	for recorded, n := range map[int]int{183: 0, 185: 1, 187: 2, 189: 3, 191: 4, 205: organizers - 1} {
		tr.posts[recorded] = nth(b, organizerKind, n)
	}
	tr.posts[5] = 999995 // neither site has it
	tr.posts[629] = nth(b, blogPostKind, 0)
	t := seedOf("en").Special
	for recorded, own := range map[string]string{
		"featured-gala":                slugify(t["featured"]),
		"FEATURED-GALA":                strings.ToUpper(slugify(t["featured"])),
		"password-protected-gathering": slugify(t["locked"]),
		"draft-event":                  slugify(t["draft"]),
		"riverside-hall":               b.posts[nth(b, venueKind, 0)].slug,
		"northside-arts-collective":    b.posts[nth(b, organizerKind, 0)].slug,
		"music":                        b.terms[1].slug,
		"Music":                        b.terms[1].name,
		"open-air-music":               "open-air-" + b.terms[1].slug,
		"outdoors":                     "out-of-doors", // the seed has such a tag
		"free":                         b.terms[categories+1].slug,
		"opensesame":                   eventPassword,
		"venuepw":                      venuePassword,
		"jazz":                         "harbour",
		"Jazz":                         "Harbour",
		"%22Hello%2C%20World!%22":      "%22harbour+history%22",
		`"Hello, World!"`:              `"harbour history"`,
		"%22Hello,+World%21%22":        "%22harbour+history%22",
		"%F0%9F%8E%89":                 "%E2%9A%93",
		"🎉":                            "⚓",
		"NONCE":                        Users[0].Nonce(),
		"%F0%9F%8E%89-fete-strasenfest-nandu-%E6%97%A5%E6%9C%AC%E8%AA%9E-%F0%9F%87%AA%F0%9F%87%B8": slugify(t["emoji"]),
		"%d8%ad%d9%81%d9%84%d8%a9-%d9%85%d9%88%d8%b3%d9%8a%d9%82%d9%8a%d8%a9-" +
			"%d7%a7%d7%95%d7%a0%d7%a6%d7%a8%d7%98": slugify(seedOf("en").Special["rtltitle"]),
	} {
		tr.words[recorded] = own
	}
}

// mapFrench knows what the API beside the legacy was asked for in French.
func (tr *translation) mapFrench(b *blog) {
	venues := len(seedOf("fr").Venues)
	categories := len(seedOf("fr").Categories)
	tr.posts[60000] = nth(b, imageKind, 0)
	for recorded, n := range map[int]int{60003: 0, 60005: 1, 60007: 2, 60017: venues - 2} {
		tr.posts[recorded] = nth(b, venueKind, n)
	}
	for recorded, n := range map[int]int{60021: 1, 60023: 2, 60025: 3} {
		tr.posts[recorded] = nth(b, organizerKind, n)
	}
	first := b.lang.firstTerm
	tr.terms[6000] = first + 1
	tr.terms[6002] = first + 3
	tr.terms[6006] = first + categories + 1
}

// nth is the id of one of a kind, by id.
func nth(b *blog, k kind, n int) int {
	return b.selectPosts(k, func(*post) bool { return true })[n].id
}

// termKeys and postKeys are the parameters whose numbers are ids.
var (
	termKeys = []string{"categories", "tags", "parent", "tribe_events_cat"}
	postKeys = []string{"id", "venue", "venues", "organizer", "organizers", "event", "post", "post_parent", "include", "exclude",
		"image", "featured_media"}
	// termFolders are the last segments of the paths of terms.
	termFolders = []string{"categories", "tags", "tribe_events_cat"}
)

// ids is the map for a parameter of a path, or nil.
func (tr *translation) ids(path, key string) map[int]int {
	key, _, _ = strings.Cut(key, "[")
	key, _, _ = strings.Cut(key, "%5B")
	ofTerms := slices.ContainsFunc(termFolders, func(folder string) bool { return strings.Contains(path, "/"+folder) })
	switch {
	case key == "image" && tr.posts[1] == 0: // there it is a page, and here an image
		ids := maps.Clone(tr.posts)
		ids[1] = tr.posts[629]
		return ids
	case slices.Contains(termKeys, key), ofTerms && (key == "include" || key == "exclude" || key == "id"):
		return tr.terms
	case slices.Contains(postKeys, key):
		return tr.posts
	}
	return nil
}

// value translates a whole word, or ids between commas.
func (tr *translation) value(s string, ids map[int]int) string {
	if w, ok := tr.words[s]; ok {
		return w
	}
	parts := strings.Split(s, ",")
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if own, ok := ids[n]; ok && err == nil {
			parts[i] = itoa(own)
		} else if w, ok := tr.words[part]; ok {
			parts[i] = w
		}
	}
	return strings.Join(parts, ",")
}

// url translates the segments of a path and the values of a query, whether
// that is encoded or not.
func (tr *translation) url(s string) string {
	path, rawQuery, has := strings.Cut(s, "?")
	segments := strings.Split(path, "/")
	for i, seg := range segments {
		ids := tr.posts
		if i > 0 && slices.Contains(termFolders, segments[i-1]) {
			ids = tr.terms
		}
		segments[i] = tr.value(seg, ids)
	}
	if !has {
		return strings.Join(segments, "/")
	}
	pairs := strings.Split(rawQuery, "&")
	for i, p := range pairs {
		if k, v, ok := strings.Cut(p, "="); ok {
			if tr.words[v] == "" {
				v = strings.ReplaceAll(v, "%2C", ",")
			}
			pairs[i] = k + "=" + tr.value(v, tr.ids(path, k))
		}
	}
	return strings.Join(segments, "/") + "?" + strings.Join(pairs, "&")
}

func (tr *translation) requestPath(x exchange) string {
	root, route, isPlain := strings.Cut(x.Request.Path, "?rest_route=/")
	if !isPlain || strings.Contains(route, "?") {
		return tr.url(x.Request.Path)
	}
	route = tr.url("/" + strings.Replace(route, "&", "?", 1)) // as it is below another root
	return root + "?rest_route=" + strings.Replace(route, "?", "&", 1)
}

func (tr *translation) requestBody(t *testing.T, x exchange) string {
	t.Helper()
	if x.Request.Body == nil {
		return ""
	}
	if text, ok := x.Request.Body.(string); ok {
		text = strings.ReplaceAll(text, `\xff`, "\xff")
		if strings.HasPrefix(x.Request.Headers["Content-Type"], "application/x-www-form") {
			return strings.TrimPrefix(tr.url("?"+text), "?")
		}
		return text
	}
	data, err := json.Marshal(tr.json(x.Request.Path, "", x.Request.Body))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// text translates a JSON text.
func (tr *translation) text(t *testing.T, path, body string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(tr.json(path, "", v))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (tr *translation) json(path, key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			of := k
			if k == "id" && slices.Contains(termKeys, key) {
				of = key
			}
			out[k] = tr.json(path, of, item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = tr.json(path, key, item)
		}
		return out
	case float64:
		if own, ok := tr.ids(path, key)[int(v)]; ok {
			return own
		}
	case string:
		return tr.value(v, tr.ids(path, key))
	}
	return v
}

var idInText = regexp.MustCompile(`(ID |=|/)(\d+)\b`)

// message translates an id in a text.
func (tr *translation) message(s string) string {
	return idInText.ReplaceAllStringFunc(s, func(m string) string {
		sub := idInText.FindStringSubmatch(m)
		return sub[1] + tr.value(sub[2], tr.posts)
	})
}

var termInHeader = regexp.MustCompile(`(categories=|tribe_events_cat/)([\w-]+)`)

// headerValue translates the ids and slugs in Link and X-TEC-API-ROOT.
func (tr *translation) headerValue(s string) string {
	if !termInHeader.MatchString(s) {
		return tr.message(s)
	}
	return termInHeader.ReplaceAllStringFunc(s, func(m string) string {
		sub := termInHeader.FindStringSubmatch(m)
		return sub[1] + tr.value(sub[2], tr.terms)
	})
}
