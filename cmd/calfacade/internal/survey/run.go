package survey

import (
	"context"
	"fmt"
	"io"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
)

// Run compares everything, and shows its progress on w.
func (d *Comparison) Run(ctx context.Context, w io.Writer) (report.Report, error) {
	d.begin()
	stop := d.progress.show(w)
	err := d.walk(ctx)
	stop()
	if ctx.Err() != nil {
		err = ErrCutOff
		if d.Journal != nil {
			err = fmt.Errorf("%w: --resume continues from here", ErrCutOff)
		}
	}
	out := d.result.report()
	d.identify(out.Findings)
	return out, err
}

// identify adds the ids that the candidate has for the items.
func (d *Comparison) identify(all []causes.Finding) {
	for i := range all {
		f := &all[i]
		if d.CandidateID == nil || f.ID == "" {
			continue
		}
		if there := d.CandidateID(f.Resource, f.ID); there != f.ID {
			f.CandidateID = there
		}
	}
}

// walk compares everything. Its error is one of the journal, or of ctx.
func (d *Comparison) walk(ctx context.Context) error {
	rows := make([]row, len(d.cells))
	for i, c := range d.cells {
		var err error
		if rows[i], err = d.list(ctx, c); err != nil {
			return err
		}
	}
	for i, c := range d.cells {
		if err := d.items(ctx, c, rows[i]); err != nil {
			return err
		}
	}
	return d.Journal.finish()
}
