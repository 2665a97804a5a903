package caching_test

import (
	"testing"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestCacheShape: facades have the same shape if they make the same responses.
func TestCacheShape(t *testing.T) {
	shape := func(change func(*proxy.Options)) string {
		o := proxy.Options{
			Site:      i18n.Languages{{Code: "en", Root: "/wp-json", Upstream: "https://legacy.example/wp-json"}},
			PublicURL: "https://api.example.org",
		}
		change(&o)
		f := proxy.New(o)
		defer f.Close()
		return f.CacheShape()
	}
	base := shape(func(*proxy.Options) {})
	for name, test := range map[string]struct {
		change func(*proxy.Options)
		equal  bool
	}{
		"limits": {func(o *proxy.Options) {
			o.MaxURL = 1000
			o.Edge.ReadOnly = true
		}, true},
		"legacy names": {facadetest.InLegacyNames, true},
		"public URL":   {func(o *proxy.Options) { o.PublicURL = "https://www.example.org" }, false},
		"root":         {func(o *proxy.Options) { o.Site[0].Root = "" }, false},
		"namespace":    {func(o *proxy.Options) { o.Legacy.Dialect.Dialect = mapping.Neutral }, false},
		"tags":         {func(o *proxy.Options) { o.Surrogate.Tags = "xkey" }, false},
		"lifetime":     {func(o *proxy.Options) { o.Surrogate.MaxAge = time.Second }, false},
		"pages":        {func(o *proxy.Options) { o.Pages = "https://www.example.org" }, false},
	} {
		if got := shape(test.change); (got == base) != test.equal {
			t.Errorf("%s: shapes %s and %s", name, base, got)
		}
	}
}
