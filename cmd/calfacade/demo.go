package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
	_ "time/tzdata"

	"github.com/spf13/cobra"
	_ "golang.org/x/crypto/x509roots/fallback"
	"golang.org/x/sync/errgroup"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/logging"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

func demoCommand(p process) *cobra.Command {
	var address, admin, redis string
	c := &cobra.Command{
		Use:     "demo",
		Short:   "Serve the API in front of a fictional site, without any setup",
		GroupID: groupServe,
		Long: `Starts a generated site in memory, serves the API in front of it, and prints what to try. The
status page for operators is at --admin-listen, or on a free port if that is in use. Nothing is
stored. Stop it with Ctrl-C.

Exit status: 0 on success; 1 if it could not start; 2 if the arguments are wrong.`,
		Example: `calfacade demo
calfacade demo --listen 127.0.0.1:8081 --redis redis://127.0.0.1:6379`,
		Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error { return demo(c.Context(), p, address, admin, redis) },
	}
	c.Flags().StringVar(&address, "listen", config.Default().Listen, "`ADDRESS` to listen on, as host:port")
	c.Flags().StringVar(&admin, "admin-listen", config.Default().AdminListen, "`ADDRESS` of the status page")
	c.Flags().StringVar(&redis, "redis", "", "`URL` of a Redis to cache in, besides memory")
	return c
}

func demo(ctx context.Context, p process, address, adminAddress, redis string) error {
	_, _ = fmt.Fprintln(p.stderr, "calfacade demo: compiled; starting") // after "go run", which compiles for a minute without a word
	l, err := service.Listen(ctx, address)
	if err != nil {
		return err
	}
	defer l.Close()
	legacy, err := service.Listen(ctx, freePort)
	if err != nil {
		return err
	}
	defer legacy.Close()
	admin, err := listenDemoAdmin(ctx, adminAddress)
	if err != nil {
		return err
	}
	defer admin.Close()
	cfg := config.Demo("http://"+l.Addr().String(), "http://"+legacy.Addr().String())
	if redis != "" {
		cfg.Cache.Redis = config.Secrets{config.NewSecret(redis)}
	}
	if err := cfg.Validate(); err != nil {
		return err
	}
	metrics := telemetry.NewMetrics(buildVersion())
	log, stop := logging.Open(cfg.Log, p.stderr, metrics)
	defer func() { _ = stop() }() // a failure of the log cannot be logged
	group, groupCtx := errgroup.WithContext(ctx)
	site := &http.Server{Handler: sim.New(sim.Options{}), ReadHeaderTimeout: 10 * time.Second}
	group.Go(func() error {
		if err := site.Serve(legacy); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		defer site.Close()
		s, err := service.New(cfg, service.Options{
			Log:     log,
			Metrics: metrics,
			Version: buildVersion(),
			Serves:  func() { printDemo(p.stdout, cfg, legacy, admin) },
		})
		if err != nil {
			return err
		}
		return s.Serve(groupCtx, service.Sockets{Public: []net.Listener{l}, Admin: []net.Listener{admin}})
	})
	return group.Wait()
}

// freePort is an address for a listener.
const freePort = "127.0.0.1:0"

// listenDemoAdmin opens the listener of the status page at an address, or if that is taken, at a free port.
func listenDemoAdmin(ctx context.Context, address string) (net.Listener, error) {
	if l, err := service.Listen(ctx, address); err == nil {
		return l, nil
	}
	return service.Listen(ctx, freePort)
}

func printDemo(w io.Writer, c config.Config, legacy, admin net.Listener) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	say("calfacade demo: the calendar of a fictional site (in memory, at %s) in four languages", legacy.Addr())
	for _, l := range c.Languages {
		say("  %s  %s%s/%s", l.Code, c.PublicURL, l.Root, mapping.Namespace)
	}
	say("\nThe status page for operators: http://%s/status/", admin.Addr())
	say("\nTry:")
	for _, line := range demoLines(c.PublicURL) {
		say("  %s", line)
	}
	say("\nThe user is %s, the password %s; for the form on the page too. Stop with Ctrl-C.", sim.Users[0].Name, sim.Users[0].Password)
	say("\nOpen %s/ in a browser first: it leads to the documentation, which sends requests.", c.PublicURL)
}

// demoLines returns the commands that the demo and the README show.
func demoLines(public string) []string {
	base := public + "/wp-json/" + mapping.Namespace
	user := sim.Users[0]
	return []string{
		fmt.Sprintf(`curl -s '%s/events?per_page=2&categories=stage-screen&featured=yes'`, base),
		fmt.Sprintf(`curl -s '%s/es/wp-json/%s/venues/by-slug/antigua-lonja'`, public, mapping.Namespace),
		fmt.Sprintf(`curl -s '%s/events?page=0&start_date=2026-02-30&geoloc_lat=51.5&i18n_language=de'`, base),
		fmt.Sprintf(`curl -s -u '%s:%s' -d title='Open day' -d start_date='tomorrow 10:00' -d end_date='tomorrow 12:00' '%s/events'`,
			user.Name, user.Password, base),
		fmt.Sprintf(`curl -s -i -X DELETE '%s/tags'`, base),
	}
}
