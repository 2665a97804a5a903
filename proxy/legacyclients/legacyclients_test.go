package legacyclients

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// TestFieldsOf selects fields as WordPress does with _fields: recordings events/en/list-per_page-1000
// (fields of the elements of a list), index/en/namespace-fields (links stay).
func TestFieldsOf(t *testing.T) {
	const body = `{"id":5,"title":"A, B","image":{"url":"x","sizes":{"a":{"width":1}}},"events":[{"id":1}],"cost":"","_links":{"up":[]}}`
	for fields, want := range map[string]string{
		"":                       body,
		" , ":                    body,
		"id":                     `{"id":5,"_links":{"up":[]}}`,
		"title,id":               `{"id":5,"title":"A, B","_links":{"up":[]}}`,
		"title id":               `{"id":5,"title":"A, B","_links":{"up":[]}}`,
		"events.id":              `{"events":[],"_links":{"up":[]}}`,
		"events.id,events":       `{"events":[{"id":1}],"_links":{"up":[]}}`,
		"events,events.id":       `{"events":[{"id":1}],"_links":{"up":[]}}`,
		"image.url,image.sizes":  `{"image":{"url":"x","sizes":{"a":{"width":1}}},"_links":{"up":[]}}`,
		"image.sizes.a.width":    `{"image":{"sizes":{"a":{"width":1}}},"_links":{"up":[]}}`,
		"image.none":             `{"image":[],"_links":{"up":[]}}`,
		"title.rendered,none.at": `{"title":"A, B","_links":{"up":[]}}`,
	} {
		if diff := cmp.Diff(want, string(ParseFields(fields).Of([]byte(body)))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", fields, diff)
		}
	}
	if got := string(ParseFields("none").Of([]byte(`{"a":1}`))); got != "[]" {
		t.Errorf("nothing is %s", got)
	}
}

func TestOff(t *testing.T) {
	day := time.Date(2027, 1, 11, 0, 0, 0, 0, time.UTC)
	c := New(&Options{Off: []string{"venues"}, Brownouts: []Brownout{
		{From: day, To: day.AddDate(0, 0, 5), Daily: Hours{From: 9 * time.Hour, To: 10 * time.Hour}, Percent: 100},
		{From: day, To: day.AddDate(0, 0, 5), Daily: Hours{From: 23 * time.Hour, To: time.Hour}, Percent: 100, Resources: []string{"tags"}},
	}})
	for _, test := range []struct {
		delay    time.Duration
		resource string
		want     bool
	}{
		{0, "venues", true},
		{12 * time.Hour, "venues", true},
		{12 * time.Hour, "events", false},
		{12 * time.Hour, "", false},
		{9*time.Hour - time.Nanosecond, "events", false},
		{9 * time.Hour, "events", true},
		{9 * time.Hour, "", true},
		{10 * time.Hour, "events", false},
		{33 * time.Hour, "events", true},
		{-15 * time.Hour, "events", false},
		{5*24*time.Hour + 9*time.Hour, "events", false},
		{23 * time.Hour, "tags", true},
		{24*time.Hour + 30*time.Minute, "tags", true},
		{25 * time.Hour, "tags", false},
		{23 * time.Hour, "events", false},
	} {
		if got := c.IsOff(day.Add(test.delay).In(time.FixedZone("", 3600)), test.resource); got != test.want {
			t.Errorf("%s after, %q: %t", test.delay, test.resource, got)
		}
	}
	if clients := New(&Options{Off: []string{All}}); !clients.IsOff(day, "") || !clients.IsOff(day, "events") {
		t.Error("all is not off")
	}
}

// TestShare: a brownout refuses exactly its share, spread over the requests.
func TestShare(t *testing.T) {
	for _, percent := range []int{1, 33, 50, 99, 100} {
		c := New(&Options{Brownouts: []Brownout{{Percent: percent}}})
		refused := 0
		longest := 0
		row := 0
		for range 1000 {
			row++
			if c.IsOff(time.Now(), "events") {
				refused = refused + 1
				row = 0
			}
			longest = max(longest, row)
		}
		if refused != 10*percent || longest > 100/percent {
			t.Errorf("%d %%: %d of 1000, and %d in a row are served", percent, refused, longest)
		}
	}
}

func TestFamily(t *testing.T) {
	for agent, want := range map[string]string{
		"": "none", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36": "chrome",
		"Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15": "safari",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)":                      "googlebot",
		"WordPress/6.8; https://secret.example":                                                         "wordpress",
		"GuzzleHttp/7":                                                                                  "guzzle",
		"curl/8.5.0":                                                                                    "curl",
		"python-requests/2.32":                                                                          "python",
		"okhttp/4.12.0":                                                                                 "okhttp",
		"Go-http-client/1.1":                                                                            "go",
		"my-app token=secret":                                                                           "other",
	} {
		if got := Family(agent); got != want {
			t.Errorf("%q: %s, want %s", agent, got, want)
		}
	}
}

func TestPrefix(t *testing.T) {
	for address, want := range map[string]string{"203.0.113.77": "203.0.113.0/24", "::ffff:203.0.113.77": "203.0.113.0/24",
		"2001:db8:1:2:3::4": "2001:db8:1::/48"} {
		if got := Prefix(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	if got := Prefix(netip.Addr{}); got != "" {
		t.Errorf("none: %s", got)
	}
}

// TestAnnounce has the forms of RFC 9745 and RFC 8594.
func TestAnnounce(t *testing.T) {
	h := http.Header{}
	now := time.Date(2027, 6, 30, 23, 59, 59, 0, time.UTC)
	New(&Options{Deprecated: now, Sunset: now}).Announce(h, "https://api.example/wp-json", "https://api.example/x")
	want := http.Header{
		"Deprecation": {"@1814399999"}, "Sunset": {"Wed, 30 Jun 2027 23:59:59 GMT"},
		"Link": {`<https://api.example/wp-json/>; rel="https://api.w.org/"`, `<https://api.example/x>; rel="successor-version"`},
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestDescription: nothing of the client's path or query but a known context is sent.
func TestDescription(t *testing.T) {
	c := New(&Options{Names: mapping.API{Dialect: tribe.Dialect}})
	for _, test := range []struct{ method, path, query, want string }{
		{"GET", "", "context=help&_method=DELETE", "GET /tribe/events/v1?context=help"},
		{"HEAD", "", "context=edit", "GET /tribe/events/v1"},
		{"GET", "/doc", "context=help", "GET /tribe/events/v1/doc"},
		{"OPTIONS", "/events/{id}", "id=7", "OPTIONS /tribe/events/v1/events/1"},
		{"OPTIONS", "/events/by-slug/{slug}", "", "OPTIONS /tribe/events/v1/events/by-slug/x"},
	} {
		r, err := http.NewRequest(test.method, "/?"+test.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := c.Description(r, test.path)
		if line := got.Method + " " + strings.TrimSuffix(got.Path+"?"+got.Query, "?"); line != test.want {
			t.Errorf("%s %s?%s: %s", test.method, test.path, test.query, line)
		}
	}
	if !slices.Contains(contexts, "view") {
		t.Error("the default context is not known")
	}
}
