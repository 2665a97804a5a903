package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/recording"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// replaying serves from the recording in dir; "" disables it.
func replaying(dir string) openTap {
	return func(_ config.Config, log *zap.Logger) (tap, error) {
		t := noTap
		if dir == "" {
			return t, nil
		}
		replay, err := recording.OpenReplay(dir, log)
		if err != nil {
			return t, err
		}
		t.wrap = replay.Wrap
		t.use = func(c config.Config) (config.Config, error) { return asRecorded(c, replay) }
		return t, nil
	}
}

// asRecorded returns a configuration with the sites of the recording instead of the configured ones, because
// recorded links begin with them. Redis is disabled: other instances would serve entries that a replay stores
// there.
func asRecorded(c config.Config, replay *recording.Replay) (config.Config, error) {
	var lacks []error
	recorded := func(key, backend, language string) (recording.Backend, recording.Root) {
		b, root, err := replay.Root(backend, language)
		if err != nil {
			lacks = append(lacks, fmt.Errorf("%s: %w", key, err))
		}
		return b, root
	}
	c.Cache.Redis = nil
	c.Languages = slices.Clone(c.Languages)
	for i := range c.Languages {
		l := &c.Languages[i]
		site, root := recorded(fmt.Sprintf("languages[%d].code", i), upstream.LegacyName, l.Code)
		c.Upstream.LanguageParam = site.LanguageParam
		c.Upstream.WordPressURL = site.WordPressURL
		l.Upstream = root.URL
		l.Aliases = root.SiteAliases
		l.Tell = root.Tell
	}
	c.Backends = slices.Clone(c.Backends)
	for i := range c.Backends {
		b := &c.Backends[i]
		b.Upstreams = maps.Clone(b.Upstreams)
		b.Tell = map[string]string{}
		for _, code := range slices.Sorted(maps.Keys(b.Upstreams)) {
			site, root := recorded(fmt.Sprintf("backends[%d].upstreams.%s", i, code), b.Name, code)
			b.LanguageParam = site.LanguageParam
			b.SiteAliases = site.SiteAliases
			b.Upstreams[code] = root.URL
			b.Tell[code] = root.Tell
		}
	}
	return c, errors.Join(lacks...)
}

// tap stands between a facade and the upstream, and makes or replays a recording.
type tap struct {
	wrap  func(http.RoundTripper) http.RoundTripper  // nil wraps nothing
	use   func(config.Config) (config.Config, error) // adapts each configuration that was read
	begin func(context.Context, *proxy.Facade)       // runs after the start, until the context ends
	close func()                                     // called when no more upstream calls are made
}

// openTap opens a tap for the first configuration.
type openTap func(config.Config, *zap.Logger) (tap, error)

// noTap changes nothing.
var noTap = tap{
	use:   func(c config.Config) (config.Config, error) { return c, nil },
	begin: func(context.Context, *proxy.Facade) {},
	close: func() {},
}
