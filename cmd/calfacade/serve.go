package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/logging"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

func serveCommand(p process) *cobra.Command {
	var file, replayed string
	c := &cobra.Command{
		Use:     "serve [--config FILE]",
		Short:   "Serve the API in front of a site",
		GroupID: groupServe,
		Long: `Serves until SIGTERM or Ctrl-C, then lets the requests in progress finish. SIGHUP reloads the
configuration; if it is wrong, the previous one stays in use. With --replay no call is made to
the site.

Exit status: 0 on success; 1 if it could not start, cut requests off, or lost purges; 2 if the
arguments are wrong.`,
		Example: `calfacade serve --config config.yaml
calfacade serve --config config.yaml --replay recording
# Environment variables override keys of the file:
CALFACADE_LISTEN=127.0.0.1:8081 calfacade serve --config config.yaml`,
		Args:        exactly(0),
		Annotations: map[string]string{reloads: "yes"},
		RunE: func(c *cobra.Command, _ []string) error {
			return p.serve(c.Context(), file, replaying(replayed))
		},
	}
	configFlag(p, c, &file, "")
	c.Flags().StringVar(&replayed, "replay", "", "`DIR` of a recording to serve from, without the site")
	return c
}

// serve serves a configuration until ctx ends, with a tap in front of the upstream.
func (p process) serve(ctx context.Context, file string, open openTap) error {
	initial := p.content(file)
	cfg, err := p.config(file)
	if err != nil {
		return err
	}
	metrics := telemetry.NewMetrics(buildVersion())
	log, stop := logging.Open(cfg.Log, p.stderr, metrics)
	defer func() { _ = stop() }() // a failure of the log cannot be logged
	t, err := open(cfg, log)
	if err != nil {
		return err
	}
	defer t.close()
	if cfg, err = t.use(cfg); err != nil {
		return err
	}
	spans, err := service.OpenTracing(ctx, log, buildVersion())
	if err != nil {
		return err
	}
	defer spans.Close()
	sockets, err := service.OpenSockets(ctx, cfg)
	if err != nil {
		return err
	}
	defer sockets.Close()
	load := func() (config.Config, error) {
		if file == standardInput {
			return config.Config{}, errReadOnce
		}
		cfg, err := p.config(file)
		if err != nil {
			return cfg, err
		}
		return t.use(cfg)
	}
	s, err := service.New(cfg, service.Options{
		Log:     log,
		Metrics: metrics,
		Tracing: spans,
		Version: buildVersion(),
		Wrap:    t.wrap,
		Load:    load,
	})
	if err != nil {
		return err
	}
	t.begin(ctx, s.Current())
	go s.ReloadOn(ctx, func() service.Content { return p.content(file) }, initial, cfg.WatchInterval)
	return s.Serve(ctx, sockets)
}

// errReadOnce is the error of a reload of a file that cannot be read again.
var errReadOnce = errors.New("the configuration was read from standard input, which cannot be read again: restart the process")
