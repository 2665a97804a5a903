package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// smallerMayDo reports whether a site that fails with an error may respond to a call for less: it
// took too long, failed or ran out of memory over this one, sent too much, or cannot filter so.
func smallerMayDo(err error) bool {
	e, ok := errors.AsType[*problem.Error](err)
	codes := []string{"calendar_not_supported", "calendar_upstream_timeout", "calendar_upstream_failed"}
	return ok && (slices.Contains(codes, e.Code) || upstream.KindOf(err) == upstream.TooBig)
}

// reach calls both backends once, and returns an error if one does not respond at all: each
// call of the comparison would fail in the same way.
func (f *diffFlags) reach(ctx context.Context, d *survey.Comparison) error {
	if len(d.Languages) == 0 {
		return nil
	}
	for _, backend := range []struct {
		name string
		read survey.Reader
	}{{"the legacy site", d.Legacy}, {"the candidate " + f.candidate, d.Candidate}} {
		_, err := backend.read(ctx, mapping.SmallestList(), d.Languages[0])
		if kind := upstream.KindOf(err); kind != upstream.Connect && kind != upstream.Timeout {
			continue
		}
		if e, ok := errors.AsType[*problem.Error](err); ok {
			err = cmp.Or(e.Err, err)
		}
		return fmt.Errorf("%s does not respond in %q: %w", backend.name, d.Languages[0], err)
	}
	return nil
}
