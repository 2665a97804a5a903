package freshness

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache"
)

// usual are the terms of most responses.
var usual = Terms{Life: cache.Life{Fresh: 56 * time.Second, StaleWhileRevalidate: 5 * time.Minute, StaleIfError: 24 * time.Hour}}

func TestSetEntry(t *testing.T) {
	unlimited := func(s Surrogate) Surrogate {
		s.MaxAge, s.SMaxAge = Unlimited, Unlimited
		return s
	}
	lasting := func(fresh time.Duration, control string) Terms {
		return Terms{Life: cache.Life{Fresh: fresh}, site: originOf(http.Header{"Cache-Control": {control}}, time.Now())}
	}
	for _, test := range []struct {
		name    string
		options Surrogate
		terms   Terms
		want    http.Header
	}{
		{"nothing", Surrogate{}, usual, http.Header{"Cache-Control": {"max-age=56, stale-while-revalidate=300, stale-if-error=86400"}}},
		{"tags", unlimited(Surrogate{Tags: "xkey"}), usual, http.Header{
			"Cache-Control": {"max-age=55, stale-while-revalidate=300, stale-if-error=86400"}, "Xkey": {"all es:events events:12"},
		}},
		{"tags with commas", unlimited(Surrogate{Tags: CacheTag, Prefix: "a"}), usual, http.Header{
			"Cache-Control": {"max-age=55, stale-while-revalidate=300, stale-if-error=86400"},
			"Cache-Tag":     {"a.all,a.es:events,a.events:12"},
		}},
		{"the defaults: nobody purges a cache in front", Surrogate{Tags: "none", Lifetime: "cache-control", SMaxAge: Unlimited}, usual,
			http.Header{"Cache-Control": {"max-age=0, must-revalidate"}}},
		{"the defaults, with a lifetime of the site", Surrogate{Tags: "none", Lifetime: "cache-control", SMaxAge: Unlimited},
			lasting(10*time.Second, "max-age=10"), http.Header{"Cache-Control": {"max-age=0, s-maxage=9, must-revalidate"}}},
		{"browsers alone", Surrogate{Tags: "none", MaxAge: time.Hour, SMaxAge: Unlimited}, usual,
			http.Header{"Cache-Control": {"max-age=55, s-maxage=0"}}},
		{"a cache in front that is purged, and validation by browsers", Surrogate{Tags: "xkey", SMaxAge: Unlimited}, usual, http.Header{
			"Cache-Control": {"max-age=0, s-maxage=55, must-revalidate, stale-while-revalidate=300, stale-if-error=86400"},
			"Xkey":          {"all es:events events:12"},
		}},
		{"limits", Surrogate{MaxAge: 5 * time.Second, SMaxAge: 20 * time.Second}, usual,
			http.Header{"Cache-Control": {"max-age=5, s-maxage=20, must-revalidate"}}},
		{"limits above the life", Surrogate{MaxAge: 500 * time.Second, SMaxAge: 600 * time.Second}, usual, http.Header{
			"Cache-Control": {"max-age=55, stale-while-revalidate=300, stale-if-error=86400"},
		}},
		{"targeted", Surrogate{Lifetime: CDNCacheControl, MaxAge: 10 * time.Second, SMaxAge: Unlimited}, usual, http.Header{
			"Cache-Control": {"max-age=10"}, "Cdn-Cache-Control": {"max-age=55, stale-while-revalidate=300, stale-if-error=86400"},
		}},
		{"nginx", unlimited(Surrogate{Lifetime: AccelExpires}), usual, http.Header{
			"Cache-Control": {"max-age=55, stale-while-revalidate=300, stale-if-error=86400"},
		}},
		{"directives of the site", unlimited(Surrogate{Lifetime: SurrogateControl, Tags: "surrogate-key"}),
			lasting(10*time.Second, "s-maxage=10, max-age=100, must-revalidate"), http.Header{
				"Cache-Control": {"max-age=99, must-revalidate"}, "Surrogate-Control": {"max-age=9, must-revalidate"},
				"Surrogate-Key": {"all es:events events:12"},
			}},
		{"shared caches alone", unlimited(Surrogate{Lifetime: SurrogateControl}),
			lasting(10*time.Second, "s-maxage=10"), http.Header{
				"Cache-Control": {"max-age=0"}, "Surrogate-Control": {"max-age=9"},
			}},
		{"less than a second", unlimited(Surrogate{Tags: "xkey"}), Terms{},
			http.Header{"Cache-Control": {"max-age=0"}, "Xkey": {"all es:events events:12"}}},
		{"not stored", unlimited(Surrogate{Tags: "xkey", Lifetime: SurrogateControl}), Terms{cacheControl: "no-cache"}, http.Header{
			"Cache-Control": {"no-cache"}, "Surrogate-Control": {"max-age=0, no-store"},
		}},
		{"for one client", unlimited(Surrogate{Tags: "xkey"}), Terms{cacheControl: NoStore},
			http.Header{"Cache-Control": {"private, no-store"}}},
	} {
		got := http.Header{}
		test.options.SetEntry(got, test.terms, []string{"es:events", "events:12"})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestExpires: nginx gets the rest of the lifetime, rounded down, and of the limit.
func TestExpires(t *testing.T) {
	o := Surrogate{Lifetime: AccelExpires, SMaxAge: 30 * time.Second}
	for _, test := range []struct {
		fresh, age time.Duration
		want       int64
	}{
		{20 * time.Second, 0, 20}, {20 * time.Second, time.Millisecond, 19}, {60 * time.Second, 5 * time.Second, 25},
		{20 * time.Second, 20 * time.Second, 0}, {20 * time.Second, time.Hour, 0},
	} {
		result := cache.Result{Entry: &cache.Entry{Life: cache.Life{Fresh: test.fresh}}, Age: test.age}
		if got, ok := o.Expires(result); got != test.want || !ok {
			t.Errorf("%s at %s: %d %t, want %d", test.fresh, test.age, got, ok, test.want)
		}
	}
	fleeting := cache.Result{Entry: &cache.Entry{Life: cache.Life{Fresh: time.Minute}}, Fleeting: true}
	if got, ok := o.Expires(fleeting); got != 0 || !ok {
		t.Errorf("a fleeting response: %d %t", got, ok)
	}
	if _, ok := (Surrogate{}).Expires(fleeting); ok {
		t.Error("responses have X-Accel-Expires by default")
	}
}
