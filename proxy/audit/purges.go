package audit

import (
	"slices"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// maxWritten is the number of tags of writes that are remembered, the last ones.
const maxWritten = 4096

// purges are the purges that came, as far as causes depend on them.
type purges struct {
	outside time.Time            // of the newest that no write through a facade and no operator made
	written map[string]time.Time // the newest purge of a tag by a write through a facade
	order   []string             // of written, a ring; the oldest is at next
	next    int
}

func (p *purges) add(made cache.Applied) {
	if !made.Write {
		if fromSite(made) && made.Time.After(p.outside) {
			p.outside = made.Time
		}
		return
	}
	if p.written == nil {
		p.written = map[string]time.Time{}
	}
	for _, tag := range made.Tags {
		if before, known := p.written[tag]; !known {
			p.remember(tag)
		} else if before.After(made.Time) {
			continue
		}
		p.written[tag] = made.Time
	}
}

// fromSite reports whether the site may have made a purge: it came by HTTP, here or at another
// instance.
func fromSite(made cache.Applied) bool { return !made.Local || made.From == cache.FromHTTP }

// remember adds a tag, in place of the oldest if there are too many.
func (p *purges) remember(tag string) {
	if len(p.order) < maxWritten {
		p.order = append(p.order, tag)
		return
	}
	delete(p.written, p.order[p.next])
	p.order[p.next] = tag
	p.next = (p.next + 1) % maxWritten
}

// wrote reports whether a write has purged one of the tags since a moment.
func (p *purges) wrote(tags []string, since time.Time) bool {
	return slices.ContainsFunc(tags, func(tag string) bool {
		at, ok := p.written[tag]
		return ok && at.After(since)
	})
}
