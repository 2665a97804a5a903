package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/recording"
	"github.com/calfacade/calfacade/proxy/upstream"
)

func recordCommand(p process) *cobra.Command {
	var file string
	var o recording.Options
	maxBytes := config.Size(recording.DefaultMaxBytes)
	c := &cobra.Command{
		Use:     "record [--config FILE] --out DIR",
		Short:   "Serve the API, and record what the site answers",
		GroupID: groupServe,
		Long: `Serves as "calfacade serve" does, and writes the calls to the site and its responses to a
directory, from which "serve --replay" and "check --replay" work without the site. Only reads
without credentials and passwords are recorded.

Exit status: 0 on success; 1 if it could not start, cut requests off, or lost purges; 2 if the
arguments are wrong.`,
		Example: `calfacade record --config config.yaml --out recording
# Then, in another terminal, request everything public:
calfacade warm --config config.yaml`,
		Args:        exactly(0),
		Annotations: map[string]string{reloads: "yes"},
		RunE:        func(c *cobra.Command, _ []string) error { return record(c.Context(), p, file, o, maxBytes) },
	}
	configFlag(p, c, &file, "")
	f := c.Flags()
	f.StringVar(&o.Dir, "out", "", "`DIR` of the recording: a new directory, or a recording to continue")
	f.IntVar(&o.MaxCalls, "max-calls", recording.DefaultMaxCalls, "maximum `NUMBER` of different calls to record")
	f.TextVar(&maxBytes, "max-bytes", maxBytes, "maximum `SIZE` of all files together, such as 256MiB")
	return c
}

func record(ctx context.Context, p process, file string, o recording.Options, maxBytes config.Size) error {
	switch {
	case o.Dir == "":
		return usageError(errors.New("--out DIR is missing"))
	case o.MaxCalls < 1 || maxBytes < 1:
		return usageError(errors.New("--max-calls and --max-bytes must be more than 0"))
	}
	o.MaxBytes = int64(maxBytes)
	return p.serve(ctx, file, recordTo(o))
}

// recordTo records the responses of the backends while the facade serves.
func recordTo(o recording.Options) openTap {
	return func(c config.Config, log *zap.Logger) (tap, error) {
		o.Backends = recordedBackends(c)
		o.MaxBody = upstream.DefaultMaxBody
		o.Program = buildVersion()
		o.Log = log
		recorder, err := recording.Open(o)
		if err != nil {
			return tap{}, err
		}
		log.Info("recording", zap.String("dir", o.Dir))
		var probing sync.WaitGroup
		return tap{
			wrap: recorder.Wrap,
			use: func(c config.Config) (config.Config, error) {
				if !recording.SameBackends(recordedBackends(c), o.Backends) {
					return c, errors.New("the roots of the site, its namespace, language parameter or aliases have changed, which " +
						"requires a new recording")
				}
				return c, nil
			},
			begin: func(ctx context.Context, f *proxy.Facade) {
				probing.Go(func() { f.Probe(ctx) }) // "calfacade check --replay" needs the responses
			},
			close: func() {
				probing.Wait()
				n := recorder.Counts() // a full recording and a disk that fails have records of their own
				log.Info("recorded", zap.String("dir", o.Dir), zap.Uint64("kept", n.Kept), zap.Uint64("private", n.Private),
					zap.Uint64("foreign", n.Foreign), zap.Uint64("broken", n.Broken), zap.Uint64("beyond", n.Beyond),
					zap.Uint64("failed", n.Failed))
			},
		}, nil
	}
}

// recordedBackends returns the backends of a configuration, the legacy site first.
func recordedBackends(c config.Config) []recording.Backend {
	legacy := recording.Backend{
		Name: upstream.LegacyName, Namespace: c.Upstream.Dialect, LanguageParam: c.Upstream.LanguageParam,
		WordPressURL: c.Upstream.WordPressURL,
	}
	for _, l := range c.Languages {
		legacy.Roots = append(legacy.Roots, recording.Root{Language: l.Code, URL: l.Upstream, SiteAliases: l.Aliases, Tell: l.Tell})
	}
	backends := []recording.Backend{legacy}
	for _, b := range c.Backends {
		backend := recording.Backend{Name: b.Name, Namespace: b.Dialect, LanguageParam: b.LanguageParam, SiteAliases: b.SiteAliases}
		for _, code := range slices.Sorted(maps.Keys(b.Upstreams)) {
			backend.Roots = append(backend.Roots, recording.Root{Language: code, URL: b.Upstreams[code], Tell: b.Tell[code]})
		}
		backends = append(backends, backend)
	}
	return backends
}
