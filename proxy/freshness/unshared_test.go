package freshness_test

import (
	"testing"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestUncachedIsLoggedOnce: the obstacle to caching is in the log once, with the key that permits it.
func TestUncachedIsLoggedOnce(t *testing.T) {
	const permits = ": responses to anonymous clients are cached only if cache."
	for header, want := range map[string][]string{
		"Set-Cookie: cart=opensesame\r\n": {"sets the cookie cart" + permits + "ignore_cookies allows it"},
		"Cache-Control: no-store\r\n":     {"sends Cache-Control: no-store" + permits + "site_headers allows it"},
		"":                                nil,
	} {
		core, logged := observer.New(zap.WarnLevel)
		site := facadetest.NewRawSite(t, facadetest.Says(facadetest.Response(200, header, facadetest.AnItem), true))
		d := site.Facade(func(o *proxy.Options) {
			o.Cache = cache.New(cache.Options{})
			o.Log = zap.New(core)
		})
		for range 3 {
			d.Want("GET /events/5", "200")
		}
		var got []string
		for _, record := range logged.FilterMessage("not cached").All() {
			got = append(got, record.ContextMap()["problem"].(string))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", header, diff)
		}
	}
}
