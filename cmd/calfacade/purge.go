package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
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

// purge purges the cache of a running instance, and with Redis the caches of all
// instances.
func purge(ctx context.Context, p process) error {
	var file string
	var body purgeRequest
	if _, err := p.flags("purge", 0, func(f *flag.FlagSet) {
		f.StringVar(&file, "config", "", "`FILE` of the configuration of the running instance")
		f.BoolVar(&body.All, "all", false, "purge everything")
		f.Func("tag", "purge responses with this `TAG`, such as events:12 or es:events; may be repeated", func(tag string) error {
			body.Tags = append(body.Tags, tag)
			return nil
		})
		f.StringVar(&body.Type, "type", "", "purge responses that show, list or count items of this `KIND`: event, venue, ...")
		f.Func("id", "`ID` of the item; without it every item of the type", func(text string) error {
			id, err := strconv.ParseInt(text, 10, 64)
			body.ID = &id
			return err
		})
		f.StringVar(&body.Language, "language", "", "`CODE` of the item's language; needed if languages are separate sites")
		f.BoolVar(&body.Soft, "soft", false, "mark responses stale: each may be served once more while it is refreshed")
	}); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return usageError{err}
	}
	body.Any = body.Type != "" && body.ID == nil
	cfg, err := p.config(file)
	if err != nil {
		return err
	}
	purged, err := body.send(ctx, cfg)
	if err != nil {
		return err
	}
	for _, tag := range purged {
		if _, err := fmt.Fprintln(p.stdout, tag); err != nil {
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
	if r.Language != "" && !slices.Contains(cfg.Codes(), r.Language) {
		return nil, fmt.Errorf("%q is not one of the configured languages", r.Language)
	}
	var result struct{ Purged []string }
	err := callAdmin(ctx, cfg, http.MethodPost, "/purge", r, &result, func() bool { return result.Purged != nil })
	return result.Purged, err
}
