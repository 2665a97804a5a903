package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"text/tabwriter"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy"
)

func explain(ctx context.Context, p process) error {
	var file string
	var asJSON bool
	args, err := p.flags("explain", anyNumber, func(f *flag.FlagSet) {
		f.StringVar(&file, "config", "", "`FILE` of the configuration")
		f.BoolVar(&asJSON, "json", false, "print JSON")
	})
	if err != nil {
		return err
	}
	cfg, err := p.config(file)
	if err != nil {
		return err
	}
	request, err := parseRequest(ctx, strings.Join(args, " "))
	if err != nil {
		return err
	}
	facade := proxy.New(options(cfg, zap.NewNop()))
	explanation, err := facade.Explain(request)
	if refusal, ok := errors.AsType[*proxy.Refusal](err); ok {
		if asJSON {
			return cmp.Or(printJSON(p.stdout, refusalReport{refusal.Status, refusal.Body}), error(errProblems))
		}
		_, _ = fmt.Fprintf(p.stdout, "refused:  %d %s\n", refusal.Status, refusal.Body)
		return errProblems
	}
	if asJSON {
		return printJSON(p.stdout, explanation)
	}
	return printExplanation(p, explanation)
}

// refusalReport is what "explain --json" prints of a request that is refused.
type refusalReport struct {
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
}

// parseRequest reads "GET /path?query"; the method may be left out.
func parseRequest(ctx context.Context, line string) (*http.Request, error) {
	method, target, found := strings.Cut(strings.TrimSpace(line), " ")
	if !found {
		method, target = http.MethodGet, line
	}
	if !strings.HasPrefix(target, "/") {
		return nil, usageError{errors.New("want 'GET /path?query'")}
	}
	r, err := http.NewRequestWithContext(ctx, method, target, nil)
	if err != nil {
		return nil, usageError{err}
	}
	return r, nil
}

func printExplanation(p process, e proxy.Explanation) error {
	t := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	upstream := ""
	if e.Upstream != "" {
		upstream = e.Method + " " + e.Upstream
	}
	for _, row := range []struct{ name, value string }{
		{"endpoint", e.Endpoint},
		{"language", e.Language},
		{"parameters", e.Canonical},
		{"dropped", strings.Join(e.Dropped, ", ")},
		{"before", e.Before},
		{"upstream", upstream},
		{"body", e.Body},
		{"key", e.Key},
	} {
		if row.name == "dropped" && row.value == "" {
			continue
		}
		_, _ = fmt.Fprintf(t, "%s:\t%s\n", row.name, terminal.OrDash(row.value))
	}
	return t.Flush()
}
