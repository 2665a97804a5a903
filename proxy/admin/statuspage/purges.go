package statuspage

import (
	"fmt"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// shownPurges is how many purges the page shows; the others are a click away.
const shownPurges = 5

// shownTags limits the tags of a purge that the page lists.
const shownTags = 5

type purgeStatus struct {
	When moment
	From string
	What string
	Soft bool
}

func purgeStatuses(list []cache.Purged, began, now time.Time) []purgeStatus {
	origins := map[string]string{"write": "a write", "http": "HTTP", "page": "this page"}
	var all []purgeStatus
	for _, p := range list {
		s := purgeStatus{When: momentOf(p.Time, now), From: origins[p.From], Soft: p.Soft, What: "everything"}
		switch {
		case p.Local && s.From == "":
			s.From = "this instance"
		case !p.Local && p.Time.Before(began):
			s.From = "before this instance started"
		case !p.Local:
			s.From = "another instance"
		}
		if !p.All {
			s.What = strings.Join(p.Tags[:min(len(p.Tags), shownTags)], ", ")
			if more := p.Count - shownTags; more > 0 {
				s.What += fmt.Sprintf(" and %d more", more)
			}
		}
		all = append(all, s)
	}
	return all
}
