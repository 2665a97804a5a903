package tribe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/recordedtest"

	"github.com/calfacade/calfacade/mapping"
)

// recordedTag is the note of the recordings create-tags-by-*: the id, the name and the slug of a tag.
var recordedTag = regexp.MustCompile(`^the term is (\d+), ['"](.*)['"], slug (.*)$`)

// TestRecordedTags sends the recorded writes that name an existing tag, by its name, its slug, or its name in
// lower case. The lookups get the recorded lists. The site makes a junk tag of each; here the tag goes out by its id.
func TestRecordedTags(t *testing.T) {
	files := recordedtest.Files(t, "events/en/create-tags-by-name-*", "events/en/create-tags-by-slug-*", "events/en/create-tags-by-lower-*")
	if len(files) != 45 {
		t.Fatalf("%d recordings", len(files))
	}
	for _, file := range files {
		x := recordedtest.Read(t, file)
		name := strings.TrimPrefix(filepath.Base(recordedtest.Name(file)), "create-tags-by-")
		kind, example, _ := strings.Cut(name, "-")
		t.Run(name, func(t *testing.T) {
			call := parseBody(t, "events.create", "", "", string(recordedtest.Text(x.Request.Body)))
			value := call.Field("tags").JSON
			done, err := send(legacy, call, nil, recordedTerms(t, example))
			switch {
			case value == "[2027]" || value == "[2028]": // digits are an id, which does not exist
				if !errors.Is(err, errNoTerm) {
					t.Errorf("sent %v (%v)", done.call, err)
				}
				return
			case err != nil:
				t.Fatal(err)
			}
			id := recordedTag.FindStringSubmatch(x.Note)[1]
			switch {
			case example == "ampersand": // "food & drink" was there before
				id = "42"
			case example == "quote" && kind == "slug": // another tag has the slug
				id = "40"
			}
			if diff := cmp.Diff("["+id+"]", done.call.Field("tags").JSON); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

var errNoTerm = errors.New("no such term")

// recordedTerms answers lookups with the lists that were recorded of an example: by the slug of the tag, by the
// slug of its name, by its name, and for a part of the name the whole list with the tags that have the part in their names.
func recordedTerms(t *testing.T, example string) reader {
	return func(lookup *mapping.Call) ([]byte, error) {
		query, err := url.ParseQuery(preview(legacy, lookup, "").Query)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"slug", "slug-of-name", "search"} {
			x := recordedtest.Read(t, recordedtest.Files(t, "tags/en/list-"+kind+"-"+example)[0])
			recorded, err := url.Parse(x.Request.Path)
			if err != nil {
				t.Fatal(err)
			}
			slug := recorded.Query().Get("slug")
			if slug != "" && mapping.SafeSlug(slug) == query.Get("slug") ||
				slug == "" && sameName(recorded.Query().Get("search"), query.Get("search")) {
				return x.Sent(), nil
			}
		}
		if query.Get("search") == "" {
			return nil, errNoTerm
		}
		x := recordedtest.Read(t, recordedtest.Files(t, "tags/en/list-after-"+example)[0])
		var terms []string
		for _, tag := range jsonscan.AsList(jsonscan.Get(x.Sent(), "tags")) {
			if strings.Contains(foldedName(jsonscan.Text(jsonscan.Get(tag, "name"))), foldedName(query.Get("search"))) {
				terms = append(terms, string(tag))
			}
		}
		return fmt.Appendf(nil, `{"tags":[%s],"total":%d}`, strings.Join(terms, ","), len(terms)), nil
	}
}

// termsOf answers lookups of the tags with these names, each with the slug beside it, as the site does.
func termsOf(t *testing.T, requests *[]string, tags ...[2]string) reader {
	return func(lookup *mapping.Call) ([]byte, error) {
		query, err := url.ParseQuery(preview(legacy, lookup, "").Query)
		if err != nil {
			t.Fatal(err)
		}
		*requests = append(*requests, strings.TrimSuffix("slug "+query.Get("slug"), "slug ")+
			strings.TrimSuffix("search "+query.Get("search"), "search "))
		var terms []map[string]any
		for i, tag := range tags {
			search := strings.ToLower(query.Get("search"))
			if tag[1] == query.Get("slug") || query.Has("search") && strings.Contains(strings.ToLower(tag[0]), search) {
				terms = append(terms, map[string]any{"id": 100 + i, "name": tag[0], "slug": tag[1]})
			}
		}
		page := max(1, mapping.ParseCount(query.Get("page")))
		first := min(50*(page-1), len(terms))
		return json.Marshal(map[string]any{"tags": append([]map[string]any{}, terms[first:min(first+50, len(terms))]...), "total": len(terms)})
	}
}

// TestTagLookups: a name is compared whole, decoded, and without case and accents, and all pages of a search are read.
func TestTagLookups(t *testing.T) {
	many := make([][2]string, 0, 121)
	for i := range 120 {
		many = append(many, [2]string{"Art " + strconv.Itoa(i), "art-" + strconv.Itoa(i)})
	}
	many = append(many, [2]string{"art", "kunst"})
	for _, test := range []struct {
		name, tags, want, requests string
		existing                   [][2]string
	}{
		{"a new one", `["Jazz"]`, `["Jazz"]`, "slug jazz, search Jazz", [][2]string{{"Jazz Night", "jazz-night"}}},
		{"a slug of its own", `["straße"]`, `[101]`, "slug straße, search straße", [][2]string{{"Hauptstraße", "x"}, {"Straße", "y"}}},
		{"part of another", `["straße"]`, `["straße"]`, "slug straße, search straße", [][2]string{{"Hauptstraße", "x"}}},
		{"an ampersand", `["Arts & Crafts"]`, `[101]`, "slug arts-crafts, search Crafts",
			[][2]string{{"Crafts", "c"}, {"Arts &amp; Crafts", "a"}}},
		{"an entity", `["Arts &amp; Crafts"]`, `[100]`, "slug arts-crafts, search Crafts", [][2]string{{"Arts &amp; Crafts", "a"}}},
		{"blanks", `["  two   words "]`, `[100]`, "slug two-words, search two words", [][2]string{{"Two words", "x"}}},
		{"no slug", `["+++"]`, `[100]`, "search +++", [][2]string{{"+++", "x"}}},
		{"nothing to look for", `["&"]`, `["&"]`, "", nil},
		{"many pages", `["Art"]`, `[220]`, "slug art, search Art, search Art, search Art", many},
		{"one tag twice", `["Beta","beta",100,"alpha"]`, `[100]`, "slug beta, search Beta, slug alpha",
			[][2]string{{"Beta", "alpha"}}},
		{"one new tag twice", `["Two words","two-words","TWO WORDS"]`, `["Two words"]`,
			"slug two-words, search Two words, slug two-words, search two-words", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			call := parseBody(t, "events.update", "5", "", `{"tags":`+test.tags+`}`)
			call.Found = []byte(`{"id":5,"tags":[{"id":100}]}`)
			var requests []string
			lookups := &client{backend: backend{legacy}, env: environmentOf(termsOf(t, &requests, test.existing...))}
			translated, err := lookups.withTerms(context.Background(), call)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, translated.Field("tags").JSON); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.requests, strings.Join(requests, ", ")); diff != "" {
				t.Errorf("looked up (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTagLookupsAreBounded: a write with names that would cost more calls is refused.
func TestTagLookupsAreBounded(t *testing.T) {
	var many [][2]string
	for i := range 50 * maxTermReads {
		many = append(many, [2]string{"Art " + strconv.Itoa(i), "x"})
	}
	call := parseBody(t, "events.update", "5", "", `{"tags":["art"]}`)
	var requests []string
	lookups := &client{backend: backend{legacy}, env: environmentOf(termsOf(t, &requests, many...))}
	_, err := lookups.withTerms(context.Background(), call)
	if got := reasons(err); got != "tags:common_names" || len(requests) != maxTermReads {
		t.Errorf("got %s after %d calls", got, len(requests))
	}
}
