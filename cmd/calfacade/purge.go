package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/onward"
)

// purgeRequest is the body of POST /purge.
type purgeRequest struct {
	Tags     []string `json:"tags,omitempty"`
	Type     string   `json:"type,omitempty"`
	ID       *int64   `json:"id,omitempty"` // nil with a Type: Any
	Any      bool     `json:"any,omitempty"`
	Language string   `json:"language,omitempty"`
	All      bool     `json:"all,omitempty"`
	Soft     bool     `json:"soft,omitempty"`
}

func purgeCommand(p process) *cobra.Command {
	var file string
	var body purgeRequest
	var asJSON, again bool
	c := &cobra.Command{
		Use:     "purge [--config FILE] (--all | --tag TAG... | --type KIND | --replay)",
		Short:   "Purge the cache of a running instance",
		GroupID: groupInstance,
		Long: `Calls the admin listener of the instance that runs with the configuration, which needs an
admin.token, and prints the purged tags. With Redis the caches of all instances are purged. Name
what changed by exactly one of --all, --tag and --type. --replay purges nothing here: it sends
again what a cache in front (edge.purge) has refused.

Exit status: 0 on success; 1 if there is no answer, or it was refused, also by a cache in front; 2
if the arguments are wrong.`,
		Example: `# An event was changed in the database:
calfacade purge --config config.yaml --type event --id 12
# Every venue may have changed:
calfacade purge --config config.yaml --type venue
calfacade purge --config config.yaml --tag en:venues --tag events:12
# Everything, but serve it once more while it is refreshed:
calfacade purge --config config.yaml --all --soft
# After the token of a cache in front was corrected:
calfacade purge --config config.yaml --replay`,
		Args: exactly(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if again {
				replayed, err := replayPurges(c.Context(), p, file, body)
				return p.print(asJSON, purgeReport{Purged: []string{}, Replayed: replayed}, err,
					func(out io.Writer) error { return printReplayed(out, replayed) })
			}
			purged, err := purge(c.Context(), p, file, body)
			return p.print(asJSON, purgeReport{Purged: purged}, err, func(out io.Writer) error { return printTags(out, purged) })
		},
	}
	configFlag(p, c, &file, " of the running instance")
	jsonFlag(c, &asJSON)
	body.define(c.Flags())
	c.Flags().BoolVar(&again, "replay", false, "send again what caches in front have refused")
	return c
}

// define defines the flags.
func (r *purgeRequest) define(f *pflag.FlagSet) {
	f.BoolVar(&r.All, "all", false, "purge everything")
	f.StringArrayVar(&r.Tags, "tag", nil, "purge responses with this `TAG`, such as events:12 or es:events; may be repeated")
	f.StringVar(&r.Type, "type", "", "purge responses that show, list or count items of this `KIND`: "+strings.Join(singulars(), ", "))
	f.Func("id", "`ID` of the item; without it every item of the type", func(text string) error {
		id, err := strconv.ParseInt(text, 10, 64)
		r.ID = &id
		return err
	})
	f.StringVar(&r.Language, "language", "", "`CODE` of the item's language; needed if languages are separate sites")
	f.BoolVar(&r.Soft, "soft", false, "mark responses stale: each may be served once more while it is refreshed")
}

// singulars returns the kinds of items.
func singulars() []string {
	var all []string
	for _, resource := range mapping.Resources() {
		all = append(all, mapping.Singular(resource))
	}
	return all
}

// purge purges the cache of a running instance, and with Redis the caches of all
// instances. It returns the purged tags.
func purge(ctx context.Context, p process, file string, body purgeRequest) (tags []string, err error) {
	if err := body.check(); err != nil {
		return nil, usageError{err: err}
	}
	body.Any = body.Type != "" && body.ID == nil
	cfg, err := p.config(file)
	if err != nil {
		return nil, err
	}
	return body.send(ctx, cfg)
}

// purgeReport has what "calfacade purge --json" prints.
type purgeReport struct {
	Error  string   `json:"error"`  // see failure
	Purged []string `json:"purged"` // the tags; "*" is everything

	Replayed []onward.Replayed `json:"replayed,omitempty"` // the targets of edge.purge, with --replay
}

// replayPurges sends again what the targets of purges have refused. An error is that one refuses
// it again.
func replayPurges(ctx context.Context, p process, file string, body purgeRequest) ([]onward.Replayed, error) {
	if body.All || body.Soft || body.Tags != nil || body.Type != "" || body.ID != nil || body.Language != "" {
		return nil, usageError{err: errors.New("want --replay alone")}
	}
	cfg, err := p.config(file)
	if err != nil {
		return nil, err
	}
	var result struct{ Replayed []onward.Replayed }
	err = callAdmin(ctx, cfg, http.MethodPost, "/purge/replay", nil, &result, func() bool { return result.Replayed != nil })
	for _, t := range result.Replayed {
		if !t.Done {
			err = errors.Join(err, fmt.Errorf("target %s: %s", t.Target, t.Fault))
		}
	}
	return result.Replayed, err
}

func printReplayed(w io.Writer, all []onward.Replayed) error {
	for _, t := range all {
		if _, err := fmt.Fprintf(w, "%s: %d deliveries sent again\n", t.Target, t.Deliveries); err != nil {
			return err
		}
	}
	return nil
}

func printTags(w io.Writer, tags []string) error {
	for _, tag := range tags {
		if _, err := fmt.Fprintln(w, tag); err != nil {
			return err
		}
	}
	return nil
}

// check validates the combination of flags; the instance validates their values.
func (r purgeRequest) check() error {
	item := r.Type != "" || r.ID != nil || r.Language != ""
	switch {
	case r.All && (item || r.Tags != nil) || item && r.Tags != nil || !r.All && !item && r.Tags == nil:
		return errors.New("want exactly one of --all, --tag and --type")
	case item && r.Type == "":
		return errors.New("want --type with --id and --language")
	case r.ID != nil && *r.ID <= 0:
		return errors.New("want an --id above 0; without --id every item of the type is purged")
	}
	return nil
}

// send calls the admin listener, and returns the purged tags.
func (r purgeRequest) send(ctx context.Context, cfg config.Config) ([]string, error) {
	// The facade takes an unknown language for all languages, but here it is a typo.
	if r.Language != "" && !slices.Contains(cfg.Languages.Codes(), r.Language) {
		return nil, fmt.Errorf("%q is not one of the configured languages", r.Language)
	}
	var result struct {
		Purged  []string
		Pending bool
	}
	err := callAdmin(ctx, cfg, http.MethodPost, "/purge", r, &result, func() bool { return result.Purged != nil })
	if err == nil && result.Pending {
		err = errPurgePending
	}
	return result.Purged, err
}

// errPurgePending is the error of a purge that holds at one instance alone for now.
var errPurgePending = errors.New("pending: the other instances, until Redis works again; this one has purged")
