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

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/onward"
)

// purgeFlags are the flags of "calfacade purge".
type purgeFlags struct {
	admin.PurgeBody
	id    bool // the flag is present, if only as 0
	again bool // --replay
}

func purgeCommand(p process) *cobra.Command {
	var file string
	var f purgeFlags
	var asJSON bool
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
			done, err := purge(c.Context(), p, file, f)
			return p.print(asJSON, done, err, done.print)
		},
	}
	configFlag(p, c, &file, " of the running instance")
	jsonFlag(c, &asJSON)
	set := c.Flags()
	set.BoolVar(&f.again, "replay", false, "send again what caches in front have refused")
	set.BoolVar(&f.All, "all", false, "purge everything")
	set.StringArrayVar(&f.Tags, "tag", nil, "purge responses with this `TAG`, such as events:12 or es:events; may be repeated")
	set.StringVar(&f.Type, "type", "", "purge responses that show, list or count items of this `KIND`: "+strings.Join(admin.Kinds(), ", "))
	completes(c, "type", admin.Kinds()...)
	set.Func("id", "`ID` of the item; without it every item of the type", func(text string) (err error) {
		f.id = true
		f.ID, err = strconv.ParseInt(text, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return errors.New("is out of range")
		case err != nil:
			return errors.New("must be an integer")
		}
		return nil
	})
	set.StringVar(&f.Language, "language", "", "`CODE` of the item's language; needed if languages are separate sites")
	set.BoolVar(&f.Soft, "soft", false, "mark responses stale: each may be served once more while it is refreshed")
	return c
}

// purge purges the cache of a running instance, and with Redis the caches of all instances, or
// sends again the purges that targets have refused.
func purge(ctx context.Context, p process, file string, f purgeFlags) (done purgeReport, err error) {
	if err := f.check(); err != nil {
		return done, usageError(err)
	}
	cfg, err := p.config(file)
	if err != nil {
		return done, err
	}
	if f.again {
		return replayPurges(ctx, cfg)
	}
	// The facade takes an unknown language for all languages, but here such a language is a typo.
	if f.Language != "" && !slices.Contains(cfg.Languages.Codes(), f.Language) {
		return done, fmt.Errorf("%q is not one of the configured languages", f.Language)
	}
	f.Any = f.Type != "" && !f.id
	err = callAdmin(ctx, cfg, http.MethodPost, "/purge", f.PurgeBody, &done, func() bool { return done.Purged != nil })
	if err == nil && done.Pending {
		err = errPurgePending
	}
	return done, err
}

// errPurgePending is the error of a purge that holds at one instance alone for now.
var errPurgePending = errors.New("pending: the other instances, until Redis works again; this one has purged")

// replayPurges sends again the purges that targets have refused. The error lists the targets that refuse
// again.
func replayPurges(ctx context.Context, cfg config.Config) (purgeReport, error) {
	done := purgeReport{Purged: []string{}}
	err := callAdmin(ctx, cfg, http.MethodPost, "/purge/replay", nil, &done, func() bool { return done.Replayed != nil })
	for _, t := range done.Replayed {
		if !t.Done {
			err = errors.Join(err, fmt.Errorf("target %s: %s", t.Target, t.Fault))
		}
	}
	return done, err
}

// check validates the combination of flags; the instance validates their values.
func (f purgeFlags) check() error {
	item := f.Type != "" || f.id || f.Language != ""
	switch {
	case f.again && (f.All || f.Soft || f.Tags != nil || item):
		return errors.New("want --replay alone")
	case f.again:
		return nil
	case f.All && (item || f.Tags != nil) || item && f.Tags != nil || !f.All && !item && f.Tags == nil:
		return errors.New("want exactly one of --all, --tag and --type")
	case item && f.Type == "":
		return errors.New("want --type with --id and --language")
	case f.id && f.ID <= 0:
		return errors.New("want an --id above 0; without --id every item of the type is purged")
	}
	return nil
}

// purgeReport is the output of "calfacade purge --json".
type purgeReport struct {
	Purged   []string          `json:"purged"`             // the tags; "*" is everything
	Replayed []onward.Replayed `json:"replayed,omitempty"` // the targets of edge.purge, with --replay
	Pending  bool              `json:"pending,omitempty"`  // an error, so that this is never printed
}

func (d purgeReport) print(w io.Writer) error {
	var text strings.Builder
	for _, tag := range d.Purged {
		text.WriteString(tag + "\n")
	}
	for _, t := range d.Replayed {
		_, _ = fmt.Fprintf(&text, "%s: %d deliveries sent again\n", t.Target, t.Deliveries)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
