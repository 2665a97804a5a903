package probe

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// describe compares the site's description of its API with what the dialect was made from.
func (b *Backend) describe(ctx context.Context, d *mapping.Description, f *Finding) {
	place := b.Dialect.Place()
	note := func(format string, args ...any) { f.Notes = append(f.Notes, fmt.Sprintf(format, args...)) }
	got, _, err := b.Client.Do(ctx, f.Upstream, upstream.Request{Method: http.MethodGet, Target: "/" + place + d.Path, Class: upstream.Read})
	if err == nil && got.Status != http.StatusOK {
		err = fmt.Errorf("status %d", got.Status)
	}
	var change mapping.DescriptionChange
	if err == nil {
		change, err = d.Compare(got.Body)
	}
	if err != nil {
		note("the document of %s at %s cannot be read: %v", place, d.Path, err)
		return
	}
	f.Document = &Document{Hash: change.Hash, Version: change.Version, Known: change.Known, Changes: append([]string{}, change.Changes...)}
	short := change.Hash[:min(len(change.Hash), shortHash)]
	switch {
	case change.Breaks:
		f.problem("the document of %s lacks what it had in version %s of the plugin: %s (sha256 %s)", place, change.Version, few(change.Changes), short)
	case change.Known:
		note("the document of %s is that of version %s of the plugin", place, change.Version)
	case len(change.Changes) > 0:
		note("the document of %s has changed since version %s of the plugin: %s (sha256 %s)", place, change.Version, few(change.Changes), short)
	default:
		note("the document of %s has changed since version %s of the plugin, in nothing that matters here (sha256 %s)", place, change.Version, short)
	}
}

// shortHash is how many characters of a hash are printed.
const shortHash = 12

// maxChanges is how many changes are printed; the JSON has all.
const maxChanges = 8

func few(changes []string) string {
	text := strings.Join(changes[:min(len(changes), maxChanges)], "; ")
	if more := len(changes) - maxChanges; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
