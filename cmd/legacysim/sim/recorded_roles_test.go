package sim

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// roles map ids and words of the recorded site to the seed's ids and words with the same role. Others, such as
// 999999, do not change.
type roles struct {
	posts, terms, words map[string]string
}

func newRoles(s *Site) roles {
	b := s.blogs["en"]
	r := roles{posts: map[string]string{}, terms: map[string]string{}, words: map[string]string{}}
	text := seedOf("en").Special
	for i, name := range []string{"sticky", "hidden", "featured", "locked", "draft", "pending", "private", "trashed", "selftitle", "html",
		"emoji", "rtltitle", "trio", "pair", "festival", "offset", "far", "", "instant", "child", "future", "atlocked", "contributed"} {
		for _, p := range b.selectPosts(eventKind, func(p *post) bool { return p.title == text[name] }) {
			r.posts[itoa(583+2*i)] = itoa(p.id)
		}
	}
	nth := func(k kind, n int) string { return itoa(b.selectPosts(k, func(*post) bool { return true })[n].id) }
	last := map[kind]int{venueKind: len(seedOf("en").Venues) - 1, organizerKind: len(seedOf("en").Organizers) - 1}
	for recorded, n := range map[string]int{"103": 0, "105": 1, "107": 2, "111": 4, "117": last[venueKind] - 1, "129": last[venueKind]} {
		r.posts[recorded] = nth(venueKind, n)
	}
	for recorded, n := range map[string]int{"183": 0, "185": 1, "187": 2, "189": 3, "191": 4, "205": last[organizerKind]} {
		r.posts[recorded] = nth(organizerKind, n)
	}
	for i := range 3 {
		r.posts[itoa(100+i)] = nth(imageKind, i)
	}
	past := b.selectPosts(eventKind, func(p *post) bool {
		e := p.event
		return e.end.Before(s.opts.Clock().AddDate(0, 0, -2)) && e.venues != nil && e.organizers != nil && e.categories != nil
	})
	r.posts["253"] = itoa(past[0].id)
	r.posts["629"] = nth(blogPostKind, 0)
	r.posts["1"] = r.posts["629"]
	tags := len(seedOf("en").Categories) + 1
	for recorded, ours := range map[string]int{"10": 1, "11": 2, "12": 3, "34": tags, "35": tags + 1, "36": tags + 2, "1": 999991} {
		r.terms[recorded] = itoa(ours)
	}
	r.terms["63"] = itoa(tags + slices.Index(seedOf("en").Tags, "C++"))
	const emoji = "%F0%9F%8E%89-fete-strasenfest-nandu-%E6%97%A5%E6%9C%AC%E8%AA%9E-%F0%9F%87%AA%F0%9F%87%B8"
	const rightToLeft = "%d8%ad%d9%81%d9%84%d8%a9-%d9%85%d9%88%d8%b3%d9%8a%d9%82%d9%8a%d8%a9-%d7%a7%d7%95%d7%a0%d7%a6%d7%a8%d7%98"
	r.words = map[string]string{
		emoji: slugify(text["emoji"]), rightToLeft: slugify(text["rtltitle"]),
		"featured-gala":                slugify(text["featured"]),
		"FEATURED-GALA":                strings.ToUpper(slugify(text["featured"])),
		"password-protected-gathering": slugify(text["locked"]),
		"draft-event":                  slugify(text["draft"]),
		"riverside-hall":               b.selectPosts(venueKind, func(*post) bool { return true })[0].slug,
		"music":                        b.terms[1].slug,
		"northside-arts-collective":    b.selectPosts(organizerKind, func(*post) bool { return true })[0].slug,
		"free":                         b.terms[tags].slug,
		"opensesame":                   eventPassword,
		"venuepw":                      venuePassword,
		"jazz":                         "harbour",
		"Jazz":                         "Harbour",
	}
	return r
}

// termNames and postNames are the parameters whose numbers are ids.
var (
	termNames = []string{"categories", "tags", "parent"}
	postNames = []string{"id", "venue", "organizer", "event", "post", "post_parent", "include", "exclude", "image"}
)

// value translates a word, or ids between commas. above is the parameter, or the segment of the path before the value.
func (r roles) value(path, parent, s string) string {
	ids := map[string]string{}
	ofTerms := strings.Contains(path, "/categories") || strings.Contains(path, "/tags")
	switch {
	case slices.Contains(termNames, parent), ofTerms && (parent == "include" || parent == "exclude"):
		ids = r.terms
	case slices.Contains(postNames, parent), slices.Contains([]string{"events", "venues", "organizers"}, parent):
		ids = r.posts
	}
	parts := strings.Split(strings.ReplaceAll(s, "%2C", ","), ",")
	for i, part := range parts {
		if ours, ok := ids[part]; ok {
			parts[i] = ours
		} else if word, ok := r.words[part]; ok {
			parts[i] = word
		}
	}
	return strings.Join(parts, ",")
}

func (r roles) path(s string) string {
	path, query, _ := strings.Cut(s, "?")
	segments := strings.Split(path, "/")
	for i := 1; i < len(segments); i++ {
		segments[i] = r.value(path, segments[i-1], segments[i])
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		if name, value, ok := strings.Cut(pair, "="); ok {
			pairs[i] = name + "=" + r.value(path, strings.TrimSuffix(name, "[]"), value)
		}
	}
	return strings.Join(segments, "/") + "?" + strings.Join(pairs, "&")
}

func (r roles) body(t *testing.T, x recordedtest.Exchange) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(x.Request.Body, &v); err != nil || v == nil {
		return ""
	}
	data, err := json.Marshal(r.json(x.Request.Path, "", v))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (r roles) json(path, name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for inner, item := range v {
			parent := inner
			if inner == "id" {
				parent = name
			}
			out[inner] = r.json(path, parent, item)
		}
		return out
	case []any:
		return each(v, func(item any) any { return r.json(path, name, item) })
	case float64:
		if ours := r.value(path, name, itoa(int(v))); ours != itoa(int(v)) {
			return atoi(ours)
		}
	case string:
		return r.value(path, name, v)
	}
	return v
}
