package surrogate_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/surrogate"
)

const usual = "max-age=56, stale-while-revalidate=300, stale-if-error=86400"

func TestSetEntry(t *testing.T) {
	seconds := func(n int) surrogate.Limit { return surrogate.AtMost(time.Duration(n) * time.Second) }
	for _, test := range []struct {
		name    string
		options surrogate.Options
		control string
		want    http.Header
	}{
		{"nothing", surrogate.Options{}, usual, http.Header{"Cache-Control": {usual}}},
		{"tags", surrogate.Options{Tags: surrogate.XKey}, usual, http.Header{
			"Cache-Control": {"max-age=55, stale-while-revalidate=300, stale-if-error=86400"}, "Xkey": {"all es:events events:12"},
		}},
		{"tags with commas", surrogate.Options{Tags: surrogate.CacheTag, Keys: surrogate.Keys{Prefix: "a"}}, usual, http.Header{
			"Cache-Control": {"max-age=55, stale-while-revalidate=300, stale-if-error=86400"},
			"Cache-Tag":     {"a.all,a.es:events,a.events:12"},
		}},
		{"validation by browsers", surrogate.Options{MaxAge: seconds(0)}, usual, http.Header{
			"Cache-Control": {"max-age=0, s-maxage=55, must-revalidate, stale-while-revalidate=300, stale-if-error=86400"},
		}},
		{"limits", surrogate.Options{MaxAge: seconds(5), SMaxAge: seconds(20)}, usual, http.Header{
			"Cache-Control": {"max-age=5, s-maxage=20, must-revalidate, stale-while-revalidate=300, stale-if-error=86400"},
		}},
		{"limits above the life", surrogate.Options{MaxAge: seconds(500), SMaxAge: seconds(600)}, usual, http.Header{
			"Cache-Control": {"max-age=55, stale-while-revalidate=300, stale-if-error=86400"},
		}},
		{"targeted", surrogate.Options{Lifetime: surrogate.CDNCacheControl, MaxAge: seconds(10)}, usual, http.Header{
			"Cache-Control": {"max-age=10"}, "CDN-Cache-Control": {"max-age=55, stale-while-revalidate=300, stale-if-error=86400"},
		}},
		{"nginx", surrogate.Options{Lifetime: surrogate.AccelExpires}, usual, http.Header{
			"Cache-Control": {"max-age=55, stale-while-revalidate=300, stale-if-error=86400"},
		}},
		{"directives of the site", surrogate.Options{Lifetime: surrogate.SurrogateControl, Tags: surrogate.SurrogateKey},
			"max-age=100, s-maxage=10, must-revalidate", http.Header{
				"Cache-Control": {"max-age=99, must-revalidate"}, "Surrogate-Control": {"max-age=9, must-revalidate"},
				"Surrogate-Key": {"all es:events events:12"},
			}},
		{"shared caches alone", surrogate.Options{Lifetime: surrogate.SurrogateControl}, "s-maxage=10", http.Header{
			"Cache-Control": {"max-age=0"}, "Surrogate-Control": {"max-age=9"},
		}},
		{"less than a second", surrogate.Options{Tags: surrogate.XKey}, "max-age=0",
			http.Header{"Cache-Control": {"max-age=0"}, "Xkey": {"all es:events events:12"}}},
		{"not stored", surrogate.Options{Tags: surrogate.XKey, Lifetime: surrogate.SurrogateControl}, "no-cache", http.Header{
			"Cache-Control": {"no-cache"}, "Surrogate-Control": {"max-age=0, no-store"},
		}},
		{"for one client", surrogate.Options{Tags: surrogate.XKey}, "private, no-store",
			http.Header{"Cache-Control": {"private, no-store"}}},
	} {
		got := http.Header{}
		test.options.SetEntry(got, test.control, []string{"es:events", "events:12"})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestExpires: nginx gets the rest of the lifetime, rounded down, and of the limit.
func TestExpires(t *testing.T) {
	o := surrogate.Options{Lifetime: surrogate.AccelExpires, SMaxAge: surrogate.AtMost(30 * time.Second)}
	for _, test := range []struct {
		fresh, age time.Duration
		want       int64
	}{
		{20 * time.Second, 0, 20}, {20 * time.Second, time.Millisecond, 19}, {60 * time.Second, 5 * time.Second, 25},
		{20 * time.Second, 20 * time.Second, 0}, {20 * time.Second, time.Hour, 0},
	} {
		if got, ok := o.Expires(test.fresh, test.age); got != test.want || !ok {
			t.Errorf("%s at %s: %d %t, want %d", test.fresh, test.age, got, ok, test.want)
		}
	}
	if _, ok := (surrogate.Options{}).Expires(time.Second, 0); ok {
		t.Error("responses have X-Accel-Expires by default")
	}
}
