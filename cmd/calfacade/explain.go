package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy"
)

func explainCommand(p process) *cobra.Command {
	var file string
	var asJSON bool
	c := &cobra.Command{
		Use:     "explain [--config FILE] [METHOD] PATH",
		Short:   "Show what a request becomes, without sending anything",
		GroupID: groupInspect,
		Long: `Prints the endpoint and language of a request, its parameters in canonical form, those that are
unknown and dropped, the call to the site, and the cache key. METHOD is GET by default. Quote a
PATH with a query: shells interpret ? and &.

Exit status: 0 on success; 1 if the request would be refused; 2 if the arguments are wrong.`,
		Example: `calfacade explain --config config.yaml GET /wp-json/calendar/events/v1/events/12
calfacade explain --config config.yaml 'GET /wp-json/calendar/events/v1/events?tags=b,a&per_page=100'
calfacade explain --config config.yaml --json DELETE /es/wp-json/calendar/events/v1/venues/3`,
		Args: atLeastOne,
		RunE: func(c *cobra.Command, args []string) error {
			return explain(c.Context(), p, file, strings.Join(args, " "), asJSON)
		},
	}
	configFlag(p, c, &file, "")
	jsonFlag(c, &asJSON)
	return c
}

// explain explains a request, a line such as "GET /path?query".
func explain(ctx context.Context, p process, file, line string, asJSON bool) error {
	explanation, err := p.explanation(ctx, file, line)
	if refusal, ok := errors.AsType[*proxy.Refusal](err); ok {
		if asJSON {
			return cmp.Or(p.printJSON(refusal, nil), errProblems)
		}
		_, _ = fmt.Fprintf(terminal.Writer{Writer: p.stdout}, "refused:  %d %s\n", refusal.Status, refusal.Body)
		return errProblems
	}
	return p.print(asJSON, explanation, err, func(out io.Writer) error { return printExplanation(out, explanation) })
}

func (p process) explanation(ctx context.Context, file, line string) (proxy.Explanation, error) {
	cfg, err := p.config(file)
	if err != nil {
		return proxy.Explanation{}, err
	}
	request, err := parseRequest(ctx, line)
	if err != nil {
		return proxy.Explanation{}, err
	}
	return proxy.New(service.FacadeOptions(cfg, zap.NewNop())).Explain(request)
}

// parseRequest reads "GET /path?query"; the method may be left out.
func parseRequest(ctx context.Context, line string) (*http.Request, error) {
	method, target, ok := strings.Cut(strings.TrimSpace(line), " ")
	if !ok {
		method = http.MethodGet
		target = line
	}
	if !strings.HasPrefix(target, "/") {
		return nil, usageError(errors.New("want 'GET /path?query'"))
	}
	r, err := http.NewRequestWithContext(ctx, method, target, nil)
	if err != nil {
		return nil, usageError(err)
	}
	return r, nil
}

func printExplanation(w io.Writer, e proxy.Explanation) error {
	upstream := ""
	if e.Upstream != "" {
		upstream = e.Method + " " + e.Upstream
	}
	rows := [][]string{{"endpoint:", e.Endpoint}, {"language:", e.Language}, {"parameters:", e.Canonical}}
	if len(e.Dropped) > 0 {
		rows = append(rows, []string{"dropped:", strings.Join(e.Dropped, ", ")})
	}
	rows = append(rows, [][]string{{"before:", e.Before}, {"upstream:", upstream}, {"body:", e.Body}, {"key:", e.Key}}...)
	return terminal.Table(w, rows)
}
