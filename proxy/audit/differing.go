package audit

import (
	"fmt"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// concerned returns the tags of what differs: of the items, or if none can be named, of the list.
func concerned(s Sample, found []compare.Difference) (tags []string) {
	e := s.Call.Endpoint
	seen := map[string]bool{}
	add := func(resource, id string) {
		for _, tag := range s.Tags.ItemTags(resource, id) {
			if !seen[tag] && len(tags) < maxConcerned {
				seen[tag], tags = true, append(tags, tag)
			}
		}
	}
	for _, d := range found {
		switch {
		case d.Cause.Resource != "" && d.Cause.ID != "":
			add(d.Cause.Resource, d.Cause.ID)
		case e.Action == mapping.Read && s.Call.Item != "" && !e.BySlug():
			add(e.Resource, s.Call.Item)
		}
	}
	if len(tags) > 0 {
		return tags
	}
	return []string{s.Tags.ListTag(s.Language, e.Resource)}
}

// maxConcerned limits the tags of a finding.
const maxConcerned = 100

// pathsOf returns where responses differ, without values.
func pathsOf(found []compare.Difference) []string {
	var paths []string
	for _, d := range found[:min(len(found), maxShown)] {
		path := d.Path
		if path == "" {
			path = "the response"
		}
		paths = append(paths, fmt.Sprintf("%s: %s", path, d.Kind))
	}
	return paths
}
