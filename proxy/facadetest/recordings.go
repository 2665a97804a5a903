package facadetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
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

// otherSites are the folders of recordings with another API, or a site of another kind.
var otherSites = []string{"broken", "closed", "elsewhere", "plain", "polylang", "prefix", "subdir", "tec", "translatepress"}

// RecordedExchange is a recording with its path below the directory of its part.
type RecordedExchange struct {
	recordedtest.Exchange

	File string // without its extension
}

func RecordingOptions(legacy string) proxy.Options {
	o := proxy.Options{
		Extensions: true,
		PublicURL:  PublicURL,
		Cookies:    true,
		SiteZone:   func(context.Context, string) (*time.Location, error) { return time.LoadLocation("Europe/London") },
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
			_, _ = io.WriteString(w, `{"code":"rest_invalid_param","message":"Text of the site.","data":{"status":400}}`)
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
