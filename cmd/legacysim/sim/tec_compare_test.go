package sim

import (
	"encoding/json"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// isPageLink reports whether a Link leads to pages of a list.
func isPageLink(link string) bool {
	return strings.Contains(link, `rel="next"`) || strings.Contains(link, `rel="prev"`)
}

// compareTEC is compare for tec/v1, whose lists are plain and whose errors have two forms.
func compareTEC(t *testing.T, tr *translation, x exchange, rec *httptest.ResponseRecorder) {
	t.Helper()
	if rec.Code != x.Response.Status {
		t.Fatalf("status = %d, want %d; body %.300s", rec.Code, x.Response.Status, rec.Body)
	}
	want := wantHeaders(tr, x)
	have := gotHeaders(rec)
	if want["Link"] == nil || have["Link"] == nil ||
		strings.Contains(want["Link"][0], "alternate") { // one of them has pages, or the seed its name
		delete(want, "Link")
		delete(have, "Link")
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	comparePageLinks(t, tr, x, rec)
	if rec.Body.Len() == 0 {
		return
	}
	var got any
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		t.Fatalf("body: %v", err)
	}
	compareTECShape(t, x, got)
	compareOrder(t, x, rec.Body.String())
	wantBody, _ := x.Response.Body.(map[string]any)
	gotBody, _ := got.(map[string]any)
	switch {
	case wantBody["error"] != nil || wantBody["code"] != nil && wantBody["code"] != "internal_server_error":
		compareTECError(t, tr, x, gotBody)
	case wantBody["code"] != nil:
		compareValue(t, "code", wantBody["code"], gotBody["code"])
	case wantBody["id"] != nil:
		tr.learnTEC(x, got)
		compareTECItem(t, tr, x, wantBody, gotBody)
	default:
		compareStatuses(t, x, got)
	}
}

func compareTECError(t *testing.T, tr *translation, x exchange, got map[string]any) {
	t.Helper()
	want, _ := x.Response.Body.(map[string]any)
	if want["code"] == "term_exists" || strings.Contains(x.file, "/fr/") && want["code"] != nil { // ids, and no language packs
		compareValue(t, "code", want["code"], got["code"])
		return
	}
	if diff := cmp.Diff(any(want), recordedtest.WithMarks(want, got)); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

// tecAbridged are parts of the OpenAPI document that the stand-in has only in short.
var tecAbridged = []string{"schemas", "responses", "example", "args", "schema"}

func compareTECShape(t *testing.T, x exchange, got any) {
	t.Helper()
	want := shape(x.Response.Body)
	have := shape(got)
	abridge(want, tecAbridged)
	abridge(have, tecAbridged)
	_, isList := x.Response.Body.([]any)
	align(want, have, isList)
	if diff := cmp.Diff(want, have, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("shape (-want +got):\n%s", diff)
	}
}

var pageLink = regexp.MustCompile(`<([^>]*)>; rel="(next|prev)"`)

// comparePageLinks compares the links that both have: which there are is a matter of how much
// there is.
func comparePageLinks(t *testing.T, tr *translation, x exchange, rec *httptest.ResponseRecorder) {
	t.Helper()
	link := func(s string) map[string]string {
		out := map[string]string{}
		for _, m := range pageLink.FindAllStringSubmatch(s, -1) {
			out[m[2]] = m[1]
		}
		return out
	}
	recorded, _ := x.Response.Headers["Link"].(string)
	want := link(recorded)
	got := link(strings.Join(headerOf(rec, "Link"), ", "))
	for rel, address := range want {
		if strings.HasSuffix(x.Name, "-page-beyond") {
			address = regexp.MustCompile(`page=\d+`).ReplaceAllString(address, "page=N")
			got[rel] = regexp.MustCompile(`page=\d+`).ReplaceAllString(got[rel], "page=N")
		}
		if got[rel] != "" {
			plain := strings.NewReplacer("%5B", "[", "%5D", "]", "%2C", ",")
			compareValue(t, rel, tr.url(plain.Replace(address)), plain.Replace(got[rel]))
		}
	}
}

// compareStatuses compares which statuses the items of a list have.
func compareStatuses(t *testing.T, x exchange, got any) {
	t.Helper()
	statuses := func(v any) []any {
		var out []any
		items, _ := v.([]any)
		for _, item := range items {
			o, _ := item.(map[string]any)
			if !slices.Contains(out, o["status"]) {
				out = append(out, o["status"])
			}
		}
		return out
	}
	if strings.Contains(x.Request.Path, "status=") {
		compareValue(t, "statuses", statuses(x.Response.Body), statuses(got))
	}
}

// compareWhole compares whether a list is the whole one, which shows the filters that have no
// effect.
func compareWhole(t *testing.T, site *Site, x exchange, rec *httptest.ResponseRecorder) {
	t.Helper()
	total, _ := x.Response.Headers["X-WP-Total"].(string)
	path, _, isList := strings.Cut(x.Request.Path, "?")
	wholes := map[string]string{"en/events": "187", "en/venues": "37", "en/organizers": "28"}
	folder := x.file[len("tec/"):len("tec/en")] + path[strings.LastIndex(path, "/"):]
	if total == "" || !isList || wholes[folder] == "" {
		return
	}
	plain := asAdmin(site, "GET", path, "", "X-TEC-EEA", tecAcknowledgement)
	if got, whole := headerOf(rec, "X-WP-Total")[0], headerOf(plain, "X-WP-Total")[0]; (got == whole) != (total == wholes[folder]) {
		t.Errorf("total = %s of %s, want %s of %s", got, whole, total, wholes[folder])
	}
}

// compareTECItem compares what does not depend on the seed: of an item that the exchanges
// have made all, of others what goes with their role.
func compareTECItem(t *testing.T, tr *translation, x exchange, want, have map[string]any) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if tr.seeded[recordedID(want)] && name == "duration" && strings.HasSuffix(x.Name, "-far_future") {
			continue // it takes longer in the seed
		}
		if tr.seeded[recordedID(want)] && !slices.Contains(roleFields, name) || strings.Contains(x.Request.Path, "/wp/v2/") &&
			!slices.Contains(wpFields, name) {
			continue
		}
		w := tr.tecValue(t, x, name, want[name])
		h := (&translation{}).tecValue(t, x, name, have[name])
		if tr.seeded[recordedID(want)] && slices.Contains([]string{"organizers", "venues"}, name) {
			w = len(want[name].([]any))
			h = len(have[name].([]any))
		}
		compareValue(t, name, w, recordedtest.WithMarks(w, h))
	}
}

// roleFields follow from the role of an item of the seed.
var roleFields = []string{
	"status", "type", "template", "multiday", "is_past", "is_now", "all_day", "featured", "sticky", "organizers", "venues",
	"class_list", "duration", "starts_this_week", "ends_this_week", "this_week_duration", "happens_this_week", "displays_on",
}

// wpFields are the fields of a term or an image that do not depend on the seed.
var wpFields = []string{"name", "slug", "taxonomy", "description", "link", "count", "meta"}

// tecValue is a recorded value in terms of the stand-in.
func (tr *translation) tecValue(t *testing.T, x exchange, name string, v any) any {
	t.Helper()
	s, _ := v.(string)
	switch name {
	case "id":
		return nil // another one
	case "organizers", "venues":
		return tr.ownIDs(name, v)
	case "tags", "tribe_events_cat":
		return tr.ownTerms(v)
	case "organizer_names":
		return len(v.([]any))
	case "class_list":
		return tr.classes(v)
	case "date", "date_gmt", "modified", "modified_gmt":
		return sinceNow(t, x, name, strings.Replace(s, "T", " ", 1))
	case "slug":
		return leftBehind.ReplaceAllString(tr.slug(s), "$1")
	case "link":
		return tr.tecLink(s)
	case "guid", "title":
		o := maps.Clone(v.(map[string]any))
		o["rendered"] = tr.tecLink(quotes.ReplaceAllString(o["rendered"].(string), "'"))
		return o
	case "cost":
		return strings.NewReplacer("$", "€").Replace(s) // the site in French had no currency
	}
	return v
}

// tecLink translates ids and slugs in an address. The paths of pages depend on the language.
func (tr *translation) tecLink(s string) string {
	parts := strings.Split(tr.message(s), "/")
	for i := range parts {
		parts[i] = tr.slug(parts[i])
	}
	for i, part := range parts {
		for _, lang := range languages() {
			names := map[string]string{lang.Pages.Event: "event", lang.Pages.Venue: "venue", lang.Pages.Organizer: "organizer"}
			if own, ok := names[part]; ok {
				parts[i] = own
			}
		}
	}
	return leftBehind.ReplaceAllString(strings.Join(parts, "/"), "$1")
}

// leftBehind is the slug of events of one title. One whose end was before its start was
// refused, and yet its slug was taken, which is not imitated: the numbers are not compared.
var leftBehind = regexp.MustCompile(`(recorded-event)-\d+`)

func (tr *translation) ownTerms(v any) []any {
	out := []any{}
	for _, id := range v.([]any) {
		if own, ok := tr.terms[int(id.(float64))]; ok {
			id = float64(own)
		}
		out = append(out, id)
	}
	return out
}

var seedClass = regexp.MustCompile(`^(post-[0-9]|tag-|tribe_events_cat-|cat_|has-post-thumbnail).*`)

// classes leaves out what the seed knows: the id, the terms, and whether there is an image.
func (tr *translation) classes(v any) []string {
	out := []string{}
	for _, class := range v.([]any) {
		if s := class.(string); !seedClass.MatchString(s) {
			out = append(out, s)
		}
	}
	return out
}

// learnTEC takes down the id of the item that an exchange has made.
func (tr *translation) learnTEC(x exchange, got any) {
	want := recordedID(x.Response.Body)
	have := recordedID(got)
	ids := tr.posts
	if slices.ContainsFunc(termFolders, func(folder string) bool { return strings.Contains(x.Request.Path, "/"+folder) }) {
		ids = tr.terms
	}
	if _, known := ids[want]; !known && want != 0 && have != 0 {
		ids[want] = have
	}
}
