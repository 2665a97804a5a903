package facadetest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

func NewScenario(t *testing.T) *Scenario {
	s := &Scenario{t: t}
	s.legacy = httptest.NewServer(http.HandlerFunc(s.serveLegacy))
	t.Cleanup(s.legacy.Close)
	s.Options = proxy.Options{
		PublicURL:  PublicURL,
		Extensions: true,
		Legacy: proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "wpml_language"},
			SiteAliases: []string{"http://legacy.example"}},
		Clock: func() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) },
	}
	for _, l := range []i18n.Language{{Code: "en", Root: "/wp-json"}, {Code: "es", Root: "/es/wp-json"},
		{Code: "de", Root: "/de/wp-json"}} {
		l.Upstream = s.legacy.URL + l.Root
		s.Options.Site = append(s.Options.Site, l)
	}
	return s
}

func (s *Scenario) Run(archive *txtar.Archive) {
	var request string
	for _, section := range archive.Files {
		text := strings.ReplaceAll(string(section.Data), "LEGACY", s.legacy.URL)
		text = strings.ReplaceAll(text, "FACADE", PublicURL)
		text = strings.ReplaceAll(text, "<FF>", "\xff")
		text = strings.ReplaceAll(text, "<BOM>", "\ufeff")
		switch section.Name {
		case "options":
			s.configure(text)
		case "request":
			request = text
		case "upstream":
			s.expect = append(s.expect, call{request: text})
		case "reply":
			s.expect[len(s.expect)-1].reply = text
		case "answer":
			s.exchange(request, text)
		default:
			s.t.Fatalf("no section is called %q", section.Name)
		}
	}
}

func (s *Scenario) configure(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, value, _ := strings.Cut(line, " ")
		switch name {
		case "cookies":
			s.Options.Cookies = true
		case "reject":
			s.Options.Unknown = mapping.Reject
		case "specification":
			s.Options.Extensions = false
		case "one":
			s.Options.Site = s.Options.Site[:1]
		case "bare":
			s.Options.Site[0].Root = ""
		case "docs":
			s.Options.Docs = true
		case "pages":
			s.Options.Pages = value
		case "any":
			s.Options.Edge.CORS.Origins = []string{"*"}
		case "read":
			s.Options.Edge.ReadOnly = true
		case "credentials":
			s.Options.Edge.WritesNeedCredentials = true
		case "as":
			s.Options.UpdatesAsIs = true
		case "tell":
			s.tell(value)
		case "zone":
			s.zone(value)
		case "upstream":
			s.upstream(value)
		case "parameter":
			s.Options.Legacy.Dialect.LanguageParam = value
		case "wordpress":
			s.Options.Legacy.WordPress = value
		case "vendor":
			s.vendorPages = true
		case "host":
			s.Options.Upstream.Access.Host = value
		case "gate":
			s.gate(value)
		case "client":
			s.Options.Upstream.Access.ClientCredentials = strings.TrimPrefix(value, "credentials by ")
		case "shared", "select", "directories", "alias":
			s.languages(name, value)
		case "max":
			s.limit(value)
		default:
			s.t.Fatalf("no option is called %q", line)
		}
	}
}

// gate adds a header field that each call has.
func (s *Scenario) gate(field string) {
	name, value, _ := strings.Cut(field, ": ")
	a := &s.Options.Upstream.Access
	if a.Header == nil {
		a.Header = http.Header{}
	}
	a.Header.Set(name, value)
}

// tell sets the site's name of a language.
func (s *Scenario) tell(text string) {
	code, word, _ := strings.Cut(text, " ")
	s.language(code).Tell = word
}

// upstream puts the REST root of a language elsewhere at the site.
func (s *Scenario) upstream(text string) {
	code, path, _ := strings.Cut(text, " ")
	s.language(code).Upstream = siteurl.Root(s.legacy.URL + path)
}

func (s *Scenario) language(code string) *i18n.Language {
	return &s.Options.Site[slices.IndexFunc(s.Options.Site, func(l i18n.Language) bool { return l.Code == code })]
}

// zone sets the time zone of the site, which is unknown otherwise, or the error of a site that hides it.
func (s *Scenario) zone(name string) {
	if name == "hidden" {
		s.Options.SiteZone = func(context.Context, string) (*time.Location, error) { return nil, probe.ErrZoneHidden }
		return
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Options.SiteZone = func(context.Context, string) (*time.Location, error) { return zone, nil }
}

// languages changes how the languages are laid out.
func (s *Scenario) languages(name, value string) {
	for i := range s.Options.Site {
		l := &s.Options.Site[i]
		code, url, _ := strings.Cut(value, " ")
		switch {
		case name == "shared":
			l.Root = "/wp-json"
			l.Upstream = s.legacy.URL + "/wp-json"
			l.Select = i18n.ByParameter
		case name == "select":
			l.Select = i18n.Select(value)
		case name == "directories":
			l.Upstream = s.legacy.URL + "/" + l.Code + "/wp-json"
		case l.Code == code:
			l.Aliases = append(l.Aliases, url)
		}
	}
}

func (s *Scenario) limit(text string) {
	name, number, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		s.t.Fatal(err)
	}
	switch name {
	case "body":
		s.Options.MaxRequestBody = int64(n)
	case "url":
		s.Options.MaxURL = n
	default:
		s.t.Fatalf("no limit is called %q", name)
	}
}

// exchange sends one request to a facade and compares the answer.
func (s *Scenario) exchange(request, want string) {
	s.t.Helper()
	facade := httptest.NewServer(proxy.New(s.Options))
	defer facade.Close()
	r := s.parseRequest(request)
	s.line = r.Method + " " + r.URL.RequestURI()
	target := facade.URL + r.URL.RequestURI()
	out, err := http.NewRequestWithContext(s.t.Context(), r.Method, target, r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	out.Header = r.Header
	if out.Header.Get("X-Request-Id") == "" {
		out.Header.Set("X-Request-Id", "scenario") // a random id could spell a word of the leak check
	}
	res, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		s.t.Fatalf("%s: %v", s.line, err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatalf("%s: %v", s.line, err)
	}
	if err := res.Body.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.compare(res, body, want)
	content := body
	if s.vendorPages {
		content = vendorPage.ReplaceAll(body, []byte("page="))
	}
	CheckLeaks(s.t, res.Header, content)
	CheckContract(s.t, excerpts, r.Method, r.URL.EscapedPath(), res, []byte(proxytest.Unmarked(string(body))))
	for _, c := range s.expect {
		s.t.Errorf("%s: the legacy did not see %s", s.line, c.request)
	}
	s.expect = nil
}

// vendorPage is the parameter of a page of a site with plain permalinks.
var vendorPage = regexp.MustCompile(`\btribe_(events|venue|organizer|events_cat)=`)

func (s *Scenario) compare(res *http.Response, body []byte, want string) {
	s.t.Helper()
	head, wantBody, _ := strings.Cut(want, "\n\n")
	lines := strings.Split(strings.TrimRight(head, "\n"), "\n")
	if status := fmt.Sprint(res.StatusCode); status != lines[0] {
		s.t.Errorf("%s: status %s, want %s: %s", s.line, status, lines[0], body)
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		if absent, ok := strings.CutPrefix(name, "!"); ok {
			if got, present := res.Header[http.CanonicalHeaderKey(absent)]; present {
				s.t.Errorf("%s: header %s: %s, want none", s.line, absent, got)
			}
			continue
		}
		if got := strings.Join(res.Header.Values(name), ", "); got != value {
			s.t.Errorf("%s: header %s: %s, want %s", s.line, name, got, value)
		}
	}
	wantBody = strings.TrimSuffix(wantBody, "\n")
	if wantBody == "..." && len(body) > 0 {
		return
	}
	if diff := cmp.Diff(wantBody, proxytest.Unmarked(string(body))); diff != "" {
		s.t.Errorf("%s: body (-want +got):\n%s", s.line, diff)
	}
}

func (s *Scenario) parseRequest(text string) *http.Request {
	s.t.Helper()
	head, body, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\n\n")
	line, header, _ := strings.Cut(head, "\n")
	raw := line + " HTTP/1.1\r\nHost: client.example\r\n" + strings.ReplaceAll(header, "\n", "\r\n")
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.TrimSuffix(raw, "\r\n") + "\r\n\r\n")))
	if err != nil {
		s.t.Fatalf("%q: %v", line, err)
	}
	r.Body = io.NopCloser(bytes.NewReader([]byte(body)))
	if body == "" {
		r.Body = http.NoBody
	}
	return r
}
