package main

import (
	"context"
	"net/http"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy"
)

// tap stands between a facade and its upstream: it makes a recording, or replays one.
// The zero tap does nothing.
type tap struct {
	wrap  func(http.RoundTripper) http.RoundTripper
	use   func(config.Config) (config.Config, error) // adapts each configuration that was read
	begin func(context.Context, *proxy.Facade)       // runs after the start, until the context ends
	close func()                                     // called when no more upstream calls are made
}

// openTap opens a tap for the first configuration.
type openTap func(config.Config, *zap.Logger) (tap, error)

func noTap(config.Config, *zap.Logger) (tap, error) { return tap{}, nil }

func (t tap) of(c config.Config) (config.Config, error) {
	if t.use == nil {
		return c, nil
	}
	return t.use(c)
}

func (t tap) end() {
	if t.close != nil {
		t.close()
	}
}
