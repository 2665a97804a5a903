package sim

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// exchange is one recording of the real legacy site.
type exchange struct {
	Name    string
	As      string
	Request struct {
		Method  string
		Path    string
		Headers map[string]string
		Body    any
	}
	Response struct {
		Status  int
		Headers map[string]any // a string, or a list of them
		Body    any
		BodyRaw string `json:"body_raw"`
	}
	file string // without its extension, below the directory of its part
	part int
}

const recordedHost = "http://legacy.example"

// recordedAt is when the exchange took place: default dates in links show it.
func recordedAt(t *testing.T, x exchange) time.Time {
	t.Helper()
	date, _ := x.Response.Headers["Date"].(string)
	at, err := http.ParseTime(date)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// otherSites are folders of the second part that show another API, or a site of
// another kind.
var otherSites = []string{"broken", "plain", "polylang", "tec", "translatepress"}

// loadExchanges reads one part of the recordings, except for other sites.
func loadExchanges(t *testing.T, part int) []exchange {
	t.Helper()
	return slices.DeleteFunc(readExchanges(t, part, "*"), func(x exchange) bool { return slices.Contains(otherSites, x.resource()) })
}

// readExchanges reads a folder of one part of the recordings.
func readExchanges(t *testing.T, part int, folder string) []exchange {
	t.Helper()
	var out []exchange
	for _, file := range recordedtest.Files(t, folder+"/*/*") {
		if recordedtest.Part(file) != itoa(part) {
			continue
		}
		data, err := json.Marshal(recordedtest.Read(t, file))
		if err != nil {
			t.Fatal(err)
		}
		x := exchange{file: recordedtest.Name(file), part: part}
		if err := json.Unmarshal(data, &x); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, x)
	}
	return out
}

// TestRecordings replays what was asked of the real site, with ids and slugs
// of the seed in the place of the recorded ones, and compares status, headers,
// errors, the shape of bodies, and values where the seed has no part in them.
func TestRecordings(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	exchanges := append(loadExchanges(t, 1), loadExchanges(t, 2)...)
	compared := 0
	replayed := 0
	for _, x := range exchanges {
		if inSession(t, x) {
			replayed++ // by TestReplay
			continue
		}
		if why := exceptions[x.file]; why != "" {
			t.Logf("skipped %s: %s", x.file, why)
			continue
		}
		compared++
		t.Run(itoa(x.part)+"/"+x.file, func(t *testing.T) {
			t.Parallel()
			at := recordedAt(t, x)
			site := New(Options{Clock: func() time.Time { return at }, Site: recordedHost})
			tr := newTranslation(site)
			tr.prepare(t, site, x)
			rec := httptest.NewRecorder()
			site.ServeHTTP(rec, tr.request(t, x))
			compare(t, tr, x, rec)
		})
	}
	t.Logf("%d recordings: %d compared here, %d by TestReplay, %d skipped", len(exchanges), compared, replayed,
		len(exchanges)-compared-replayed)
}

func compare(t *testing.T, tr *translation, x exchange, rec *httptest.ResponseRecorder) {
	t.Helper()
	if rec.Code != x.Response.Status {
		t.Fatalf("status = %d, want %d; body %.300s", rec.Code, x.Response.Status, rec.Body)
	}
	if diff := cmp.Diff(wantHeaders(tr, x), gotHeaders(rec)); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	comparePageLinks(t, tr, x, rec)
	want, isText := x.Response.Body.(string)
	if isText || rec.Body.Len() == 0 {
		got, _, _ := strings.Cut(rec.Body.String(), "{")
		want, _, _ = strings.Cut(want, "{")
		if got != want {
			t.Errorf("body begins %q, want %q", got, want)
		}
		return
	}
	var got any
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		t.Fatalf("body: %v", err)
	}
	compareShape(t, x, got)
	compareValues(t, tr, x, got)
	compareOrder(t, x, rec.Body.String())
}

// hopHeaders are header fields of the connection, the server and the clock.
var hopHeaders = []string{"Server", "Date", "Connection", "Transfer-Encoding", "Content-Length"}

// seedHeaders are those whose values only the seed knows, or that are redacted.
var seedHeaders = []string{"Set-Cookie", "X-TEC-Total", "X-TEC-TotalPages", "X-WP-Nonce", "X-WP-Total", "X-WP-TotalPages"}

func wantHeaders(tr *translation, x exchange) map[string][]string {
	out := map[string][]string{}
	for name, v := range x.Response.Headers {
		var values []string
		switch v := v.(type) {
		case string:
			values = []string{v}
		case []any:
			for _, s := range v {
				values = append(values, s.(string))
			}
		}
		for i := range values {
			values[i] = tr.headerValue(values[i])
		}
		addHeader(out, name, values)
	}
	return out
}

func gotHeaders(rec *httptest.ResponseRecorder) map[string][]string {
	out := map[string][]string{}
	for name, values := range rec.Result().Header {
		addHeader(out, name, values)
	}
	return out
}

func addHeader(to map[string][]string, name string, values []string) {
	switch {
	case slices.Contains(hopHeaders, name), name == "Link" && isPageLink(values[0]):
	case slices.Contains(seedHeaders, name), name == "Location":
		to[name] = []string{"of the seed"}
	default:
		to[name] = values
	}
}

// request is the recorded one in terms of the seed.
func (tr *translation) request(t *testing.T, x exchange) *http.Request {
	t.Helper()
	body := tr.requestBody(t, x)
	r := httptest.NewRequest(x.Request.Method, recordedHost+tr.requestPath(x), strings.NewReader(body))
	for name, value := range x.Request.Headers {
		if value != "REDACTED" {
			r.Header.Set(name, value)
		}
	}
	credentials(r, x)
	return r
}

const basicInName = "odd-headers-Authorization-Basic-"

// credentials puts back what the recordings do not show.
func credentials(r *http.Request, x exchange) {
	switch {
	case strings.HasPrefix(x.Name, basicInName):
		encoded, _, _ := strings.Cut(strings.TrimPrefix(x.Name, basicInName), "-")
		encoded += strings.Repeat("=", (4-len(encoded)%4)%4) // the name has no =
		r.Header.Set("Authorization", "Basic "+encoded)
	case x.Name == "bearer-token":
		r.Header.Set("Authorization", "Bearer some-token")
	case x.Name == "malformed-basic":
		r.Header.Set("Authorization", "Basic !!!")
	case x.Name == "unknown-user":
		r.SetBasicAuth("nobody", "x")
	case strings.Contains(x.Name, "password") && strings.HasPrefix(x.file, "errors/"):
		r.SetBasicAuth("admin", "wrong")
	case x.Name == "bad-nonce-header":
		r.Header.Set("X-WP-Nonce", "deadbeef00")
	case x.As == "admin (cookie)":
		r.AddCookie(&http.Cookie{Name: loginCookie, Value: "admin"})
		if _, ok := x.Request.Headers["X-Wp-Nonce"]; ok || x.Request.Headers["X-WP-Nonce"] != "" {
			r.Header.Set("X-WP-Nonce", Users[0].Nonce())
		}
	default:
		if u := userByName(x.As); u != nil {
			r.SetBasicAuth(u.Name, u.Password)
		}
	}
}
