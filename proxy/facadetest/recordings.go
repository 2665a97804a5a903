package facadetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/google/go-cmp/cmp"
)

var plainEscapedLink = regexp.MustCompile(`(http:\\?/\\?/legacy\.example(?:\\?/fr)?)\\?/index\.php\?rest_route=((?:%2F|` +
	`\\?/)tribe(?:%2F|\\?/)events(?:%2F|\\?/)v1[^&"]*)&?`)

// PrettyLinks replaces the links to the namespace by the links of a site with pretty permalinks.
func (r *RecordedExchange) PrettyLinks() {
	r.Response.BodyRaw = plainEscapedLink.ReplaceAllStringFunc(string(r.Sent()), func(link string) string {
		m := plainEscapedLink.FindStringSubmatch(link)
		route := strings.NewReplacer("%2F", `\/`, `\/`, `\/`, "/", `\/`).Replace(m[2])
		pretty := m[1] + `\/wp-json` + route
		if strings.HasSuffix(link, "&") {
			pretty += "?"
		}
		return pretty
	})
	if root, ok := r.Response.Headers["Link"].(string); ok {
		r.Response.Headers = maps.Clone(r.Response.Headers)
		r.Response.Headers["Link"] = strings.Replace(root, "/index.php?rest_route=/", "/wp-json/", 1)
	}
}

var (
	sharedLink     = regexp.MustCompile(`"http:\\/\\/legacy\.example\\/wp-json\\/tribe\\/events\\/v1[^"]*`)
	languageInBody = regexp.MustCompile(`"lang": *"([a-z]+)"`)
)

// NameLanguage adds the language of the request to the links to the namespace. The site's have
// none: a client that follows one gets the default language.
func (r *RecordedExchange) NameLanguage() {
	u, err := url.Parse(r.Request.Path)
	if err != nil {
		panic(err)
	}
	language := u.Query().Get("lang")
	if m := languageInBody.FindSubmatch(r.Request.Body); m != nil && r.Request.Method != http.MethodGet {
		language = string(m[1]) // counts instead of the query's
	}
	if language == "" || language == "en" {
		return
	}
	r.Response.BodyRaw = sharedLink.ReplaceAllStringFunc(string(r.Sent()), func(link string) string {
		if strings.Contains(link, "?") {
			return link + "&lang=" + language
		}
		return link + "?lang=" + language
	})
}

// LegacyDiffers returns how a response in the legacy's names differs from the recorded one; ""
// if it does not. Header fields that the legacy has of its server, or for other origins, are
// not compared.
func (r *RecordedExchange) LegacyDiffers(res *http.Response, body []byte) string {
	if res.StatusCode != r.Response.Status {
		return fmt.Sprintf("status %d, want %d: %s", res.StatusCode, r.Response.Status, body)
	}
	for _, name := range []string{"X-TEC-Total", "X-TEC-TotalPages", "Location", "Content-Type"} {
		want, _ := r.Response.Headers[name].(string)
		if got := res.Header.Get(name); got != want {
			return fmt.Sprintf("%s %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"X-Calendar-Total", "X-WP-Total"} {
		if got := res.Header.Get(name); got != "" {
			return fmt.Sprintf("%s %s", name, got)
		}
	}
	if want, ok := r.Response.Headers["Link"].(string); ok && res.Header.Values("Link")[0] != want {
		return fmt.Sprintf("Link %q, want %s", res.Header.Values("Link"), want)
	}
	want := r.Sent()
	if r.Request.Method == http.MethodHead {
		want = nil
	}
	if !bytes.Equal(body, want) {
		return "body (-recording +got):\n" + cmp.Diff(string(want), string(body))
	}
	return ""
}

// otherSites are the folders of recordings with another API, or a site of another kind.
var otherSites = []string{"broken", "closed", "elsewhere", "plain", "polylang", "prefix", "subdir", "tec", "translatepress"}

// RecordedExchange is a recording with its path below the directory of its part.
type RecordedExchange struct {
	recordedtest.Exchange

	File string // without its extension
}

// Difference is an answer of the facade that is otherwise than the site, on purpose.
type Difference struct {
	Pattern string // of recordings, as [path.Match]
	Status  int    // of the facade's answer; 0: as recorded, with another body
	reason  string
	Skipped bool // it is not sent
	Used    bool
}

// ReadDifferences reads a file such as testdata/recordings_differ.txt: pattern, status, "body" or "skip", and the
// reason, with tabs between. The table of differences in docs/api.md explains most of them.
func ReadDifferences(t *testing.T, file string) []*Difference {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []*Difference
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			t.Fatalf("not a pattern, a status and a reason: %s", line)
		}
		d := &Difference{Pattern: fields[0], reason: fields[2], Skipped: fields[1] == "skip"}
		if _, err := fmt.Sscan(fields[1], &d.Status); err != nil && fields[1] != "body" && !d.Skipped {
			t.Fatalf("no status: %s", line)
		}
		list = append(list, d)
	}
	return list
}

func DifferenceOf(list []*Difference, file string) *Difference {
	for _, d := range list {
		if match, err := path.Match(d.Pattern, file); err == nil && match {
			return d
		}
	}
	return nil
}

func RecordingOptions(legacy string) proxy.Options {
	o := proxy.Options{
		PublicURL: PublicURL,
		Cookies:   true,
		SiteZone:  func(context.Context, string) (*time.Location, error) { return time.LoadLocation("Europe/London") },
		Legacy: proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "wpml_language"},
			SiteAliases: []string{"http://legacy.example"}},
	}
	for _, code := range i18n.Codes {
		root := "/wp-json"
		if code != "en" {
			root = "/" + code + root
		}
		o.Site = append(o.Site, i18n.Language{Code: code, Root: root, Upstream: legacy + root})
	}
	return o
}

// RecordedFiles are the exchanges with sites of the usual kind, in their order.
func RecordedFiles(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(recordedtest.Files(t, "*/*/*"),
		func(file string) bool { return slices.Contains(otherSites, recordedtest.Kind(file)) })
}

func ReadRecording(t *testing.T, file string) RecordedExchange {
	t.Helper()
	return RecordedExchange{Exchange: recordedtest.Read(t, file), File: recordedtest.Name(file)}
}

var UnderNamespace = regexp.MustCompile(`(?i)^(/[a-z]{2})?/wp-json/tribe/events/v1`)

// Target is the recorded request's neutral form. There is no such form for a target
// outside of the namespace, and for answers in a form that only _envelope, _fields and
// _jsonp make, which the facade never sends.
func (r *RecordedExchange) Target() (string, bool) {
	path := r.Request.Path
	if !UnderNamespace.MatchString(path) || strings.Contains(path, "_envelope") || strings.Contains(path, "_fields=") ||
		strings.Contains(path, "_jsonp=") {
		return "", false
	}
	path = regexp.MustCompile(`(?i)tribe/events/v1`).ReplaceAllString(path, "calendar/events/v1")
	return strings.ReplaceAll(path, "wpml_language", "i18n_language"), true
}

// Method is the method that the request means.
func (r *RecordedExchange) Method() string {
	if override := r.Request.Headers[mapping.MethodField]; override != "" && r.Request.Method == http.MethodPost {
		return override
	}
	return r.Request.Method
}

// Reply answers with the recording. To the reads that a write needs first, the item is
// as before the write, no term has the name that is looked up, and only 999999 is unknown.
func (r *RecordedExchange) Reply(w http.ResponseWriter, req *http.Request) {
	if kind := path.Base(req.URL.Path); req.Method != r.Request.Method && r.Request.Method != http.MethodHead &&
		(kind == "tags" || kind == "categories") {
		if req.URL.Query().Get("include") == "999999" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"code":"rest_invalid_param","message":"Invalid parameter(s): include","data":{"status":400}}`)
			return
		}
		proxytest.WriteItem(w, `{%q:[],"total":0,"total_pages":0}`, kind)
		return
	}
	for name, value := range r.Response.Headers {
		switch name {
		case "Transfer-Encoding", "Connection", "Date", "Content-Length":
		default:
			w.Header().Set(name, fmt.Sprint(value))
		}
	}
	w.WriteHeader(r.Response.Status)
	body := r.Sent()
	if r.Request.Method == http.MethodHead {
		// Of the GET that the facade sends for it.
		name := path.Base(req.RequestURI)
		id := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-")
		if _, err := strconv.Atoi(id); err != nil {
			id = "1"
		}
		body = []byte(proxytest.Marked(fmt.Sprintf(`{"id":%s,"slug":%q,"events":[],"venues":[],"organizers":[],"categories":[],`+
			`"tags":[],"total":0,"total_pages":0,"routes":{}}`, id, name)))
	}
	if req.Method != r.Request.Method {
		body = bytes.ReplaceAll(body, []byte("__trashed"), nil)
	}
	_, _ = w.Write(body)
}

func SendBody(t *testing.T, base, target string, rec RecordedExchange, body []byte) (*http.Response, []byte) {
	t.Helper()
	body = bytes.ReplaceAll(body, []byte(`\xff`), []byte{0xff}) // how the recordings write a byte that is no text
	r, err := http.NewRequestWithContext(t.Context(), rec.Request.Method, base, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	path, query, _ := strings.Cut(target, "?")
	r.URL.Opaque = "//" + r.URL.Host + path // the path exactly as it was recorded
	r.URL.RawQuery = query
	for name, value := range rec.Request.Headers {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(rec.File, err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(rec.File, err)
	}
	return res, got
}

// Compare holds an answer to the recording, or to the difference that is wanted.
func (r *RecordedExchange) Compare(t *testing.T, res *http.Response, body []byte, expected *Difference) {
	t.Helper()
	wrong := r.differs(t, res, body)
	switch {
	case wrong == "":
	case expected != nil && (expected.Status == res.StatusCode || expected.Status == 0 && res.StatusCode == r.Response.Status):
		expected.Used = true
	default:
		t.Error(wrong)
	}
}

// differs returns how a response differs from the recorded one; "" if it does not.
func (r *RecordedExchange) differs(t *testing.T, res *http.Response, body []byte) string {
	t.Helper()
	if res.StatusCode != r.Response.Status {
		return fmt.Sprintf("status %d, want %d", res.StatusCode, r.Response.Status)
	}
	for name, legacy := range map[string]string{"X-WP-Total": "X-TEC-Total", "X-Calendar-TotalPages": "X-TEC-TotalPages"} {
		if got, want := res.Header.Get(name), r.Response.Headers[legacy]; want != nil && got != want {
			return fmt.Sprintf("%s %s, want %s", name, got, want)
		}
	}
	if r.Request.Method == http.MethodHead {
		if len(body) > 0 {
			return fmt.Sprintf("HEAD with a body of %d bytes", len(body))
		}
		return ""
	}
	kind, _, _ := strings.Cut(r.File, "/")
	if r.Request.Method == http.MethodOptions || kind == "index" || kind == "doc" {
		return "" // made from the table; package mapping tests it
	}
	if recorded := r.Sent(); !json.Valid(recorded) {
		return "the recorded body is not JSON"
	}
	if diff := cmp.Diff(r.neutral(t), decodeAny(t, body)); diff != "" {
		return "body (-recording +got):\n" + diff
	}
	return ""
}

func decodeAny(t *testing.T, body []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return withoutChosen(v)
}

// neutral is the recorded body in its neutral form, computed independently of the facade.
func (r *RecordedExchange) neutral(t *testing.T) any {
	t.Helper()
	body := string(r.Sent())
	if r.Response.Status >= 400 {
		body = strings.ReplaceAll(body, "wpml_language", "i18n_language")
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(r.File, err)
	}
	return withoutChosen(neutralValue("", v))
}

// withoutChosen takes out the members that the facade chooses itself: the links of a list,
// which keep the filters , and the details of a fault, which the
// legacy mostly leaves empty.
func withoutChosen(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if _, isList := m["total"]; isList {
		for _, name := range []string{"rest_url", "next_rest_url", "previous_rest_url"} {
			if s, ok := m[name].(string); ok {
				m[name] = pagePath(name, s)
			}
		}
	}
	if data, ok := m["data"].(map[string]any); ok && data["params"] != nil {
		delete(data, "details")
	}
	return m
}

// pagePath returns path and page of a link to a list, without the root: if a request named a
// language, the recorded root responded, and here that language's does. The link of a list
// of terms to itself never has a page in the legacy.
func pagePath(name, s string) string {
	u, err := url.Parse(strings.ReplaceAll(s, " ", "+"))
	if err != nil {
		return s
	}
	_, path, _ := strings.Cut(u.Path, "/wp-json")
	if name == "rest_url" {
		return path
	}
	page := u.Query().Get("page")
	if page == "" {
		page = "1"
	}
	return path + " page " + page
}

var RestRoot = regexp.MustCompile(`^http://legacy\.example((?:/[a-z]{2})?/wp-json)/tribe/events/v1`)

func neutralValue(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			out[key] = neutralValue(key, inner)
		}
		if name == "_links" {
			return map[string]any{}
		}
		if page, ok := v["url"].(string); ok && v["website"] == strings.ReplaceAll(page, "&", "&amp;") || v["website"] == page {
			out["website"] = "" // empty in the site
		}
		return out
	case []any:
		for i := range v {
			v[i] = neutralValue(name, v[i])
		}
		return v
	case string:
		switch name {
		case "title", "description", "excerpt":
			return v
		case "website":
			return v
		case "email":
			return html.UnescapeString(v)
		case "taxonomy":
			return strings.Replace(v, "tribe_events_cat", "calendar_events_cat", 1)
		}
		return RestRoot.ReplaceAllString(v, PublicURL+"$1/calendar/events/v1")
	}
	return v
}
