package processtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// Serve serves h on loopback until the test ends and returns its URL.
func Serve(t testing.TB, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// Text responds with a body to every request.
func Text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body) // a client that hung up is seen by the script
	}
}

// Unless serves a site, except for requests to which instead responds.
func Unless(site http.Handler, instead func(http.ResponseWriter, *http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !instead(w, r) {
			site.ServeHTTP(w, r)
		}
	})
}

// Refuse responds as WordPress does to a private item, and returns true.
func Refuse(w http.ResponseWriter, code string) bool {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = fmt.Fprintf(w, `{"code":%q,"message":"","data":{"status":401}}`, code)
	return true
}

// BusyAddress is an address that is listened on until the test ends.
func BusyAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// RecordedCall reads a recording.
func RecordedCall(t *testing.T, file string) SiteCall {
	t.Helper()
	r := recordedtest.Read(t, file)
	c := SiteCall{Source: file, Method: r.Request.Method, Target: r.Request.Path, Body: r.Request.Body, Status: r.Response.Status,
		Answer: r.Response.Body, Header: http.Header{}}
	for name, value := range r.Request.Headers {
		c.Header.Set(name, value)
	}
	var form string
	if json.Unmarshal(r.Request.Body, &form) == nil {
		c.Body = []byte(form)
	}
	return c
}

// EmptySuccessor is a site with tec/v1 and no items.
func EmptySuccessor(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	switch isItem := IDSegment.MatchString(path.Base(r.URL.Path)); {
	case isItem && strings.Contains(r.URL.Path, "/wp/v2/"):
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"code":"rest_term_invalid","message":"","data":{"status":404}}`)
	case isItem:
		Refuse(w, "rest_forbidden")
	default:
		w.Header().Set("X-WP-Total", "0")
		w.Header().Set("X-WP-TotalPages", "0")
		_, _ = io.WriteString(w, "[]")
	}
}

// Noon is the clock of sites that are to be alike: near midnight their days are not
// the same, and it may come between the making of two.
func Noon() time.Time { return time.Date(2027, 2, 3, 12, 0, 0, 0, time.UTC) }

// StagedConfig is a configuration with a candidate, "new", beside the legacy. Both
// speak the dialect.
func StagedConfig(t *testing.T, dialect *mapping.Dialect, legacy, candidate string) config.Config {
	t.Helper()
	c := config.Demo("http://facade.example", legacy)
	backend := config.Backend{Name: "new", Dialect: dialect.Namespace, LanguageParam: dialect.LanguageParam, Upstreams: map[string]string{}}
	for _, l := range config.Demo("", candidate).Languages {
		backend.Upstreams[l.Code] = l.Upstream
	}
	c.Backends = []config.Backend{backend}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

// CausesOfPlants are the findings of planting: one for each, with the number of responses that show
// it: lists, and items by id and slug.
func CausesOfPlants(plants []sim.Plant) map[string]int {
	causes := map[string]int{}
	for _, p := range plants {
		id := strconv.Itoa(p.ID)
		member := p.Field
		responses := 1
		switch p.Kind {
		case sim.PlantOrder:
			id = ""
			member = p.Resource
		case sim.PlantTotal:
			id = ""
			member = "total"
		default:
			responses += len(mapping.ItemReads(p.Resource, "1", "a"))
		}
		causes[strings.Join([]string{p.Language, p.Resource, id, member}, " ")] += responses
	}
	return causes
}

// CausesOf returns the number of responses that show each finding.
func CausesOf(r survey.DiffReport) map[string]int {
	causes := map[string]int{}
	for _, f := range r.Findings {
		causes[strings.Join([]string{f.Language, f.Resource, f.ID, f.Member}, " ")] += f.Responses
	}
	return causes
}
