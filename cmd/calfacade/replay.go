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
		t.use = func(c config.Config) (config.Config, error) { return asRecorded(c, replay, dir) }
		return t, nil
	}
}

// asRecorded returns a configuration with the sites of the recording instead of its
// own, because recorded links begin with them. It has no Redis: other instances would
// serve what a replay stores there.
func asRecorded(c config.Config, replay *recording.Replay, dir string) (config.Config, error) {
	m := missing{dir: dir}
	c.Cache.Redis = nil
	legacy := m.backend(replay, upstream.LegacyName, "languages")
	c.Upstream.LanguageParam, c.Upstream.WordPressURL = legacy.LanguageParam, legacy.WordPressURL
	c.Languages = slices.Clone(c.Languages)
	for i := range c.Languages {
		l := &c.Languages[i]
		was := m.root(legacy, l.Code, fmt.Sprintf("languages[%d].code", i))
		l.Upstream, l.Aliases, l.Tell = was.URL, was.SiteAliases, was.Tell
	}
	c.Backends = slices.Clone(c.Backends)
	for i := range c.Backends {
		b, key := &c.Backends[i], fmt.Sprintf("backends[%d]", i)
		was := m.backend(replay, b.Name, key+".name")
		b.LanguageParam, b.SiteAliases = was.LanguageParam, was.SiteAliases
		b.Upstreams, b.Tell = maps.Clone(b.Upstreams), map[string]string{}
		for _, code := range slices.Sorted(maps.Keys(b.Upstreams)) {
			root := m.root(was, code, key+".upstreams."+code)
			b.Upstreams[code], b.Tell[code] = root.URL, root.Tell
		}
	}
	return c, errors.Join(m.errs...)
}

// missing collects what a configuration needs and the recording in dir lacks.
type missing struct {
	dir  string
	errs []error
}

func (m *missing) backend(replay *recording.Replay, name, key string) *recording.Backend {
	if b := replay.Backend(name); b != nil {
		return b
	}
	m.errs = append(m.errs, fmt.Errorf("%s: the recording in %s lacks the backend %q", key, m.dir, name))
	return new(recording.Backend)
}

func (m *missing) root(b *recording.Backend, language, key string) recording.Root {
	root := b.Root(language)
	if root.URL == "" && b.Name != "" { // a missing backend is an error already
		m.errs = append(m.errs, fmt.Errorf("%s: the recording in %s lacks %s in %q", key, m.dir, b.Name, language))
	}
	return root
}

// tap stands between a facade and its upstream: it makes a recording, or replays one.
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
