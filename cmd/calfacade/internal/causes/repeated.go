package causes

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// assigned is a difference with its complete cause.
type assigned struct {
	Seen
	member string // in which it repeats the cause; "" where it is the cause
}

// assign completes the causes of the differences in the responses to the calls for one item, or in
// a page of a list. A difference that repeats another one of the same response has the cause of
// that one. An item that cannot be read by its slug, because it has another one, has the cause of the slug.
func assign(batch []Seen) []assigned {
	all := make([]assigned, len(batch))
	for i := range batch {
		all[i].Seen = batch[i]
		all[i].Cause = complete(&batch[i])
	}
	for i := range all {
		if source := sourceOf(batch, i); source >= 0 {
			all[i].Cause, all[i].member = complete(&batch[source]), all[i].Cause.Member
		}
	}
	return all
}

// complete returns the cause of a difference. What the document does not determine follows from the
// call.
func complete(s *Seen) compare.Cause {
	c := s.Cause
	resource, _, _ := strings.Cut(s.Endpoint, ".")
	if c.Resource == "" {
		c.Resource, c.Member = resource, s.Path
	}
	if c.ID == "" && c.Resource == resource {
		c.ID = s.Item
	}
	if c.Values == "" { // a journal of an earlier version
		c.Values = strings.Join([]string{string(s.Kind), s.Want, s.Got}, "\x00")
	}
	return c
}

// sourceOf returns the index of the difference that the one at i repeats; -1 for none.
func sourceOf(batch []Seen, i int) int {
	s := &batch[i]
	if s.Kind == compare.Status {
		return slices.IndexFunc(batch, func(other Seen) bool {
			return strings.HasSuffix(s.Endpoint, bySlug) && other.Item == s.Item && other.Cause.Member == mapping.SlugParam.Name
		})
	}
	found := -1
	for _, path := range sources(s) {
		for j := range batch {
			other := &batch[j]
			if other.Call != s.Call || s.Difference.Item != "" && other.Difference.Item != s.Difference.Item || !below(other.Path, path) {
				continue
			}
			if own := !strings.Contains(s.Cause.Member, "."); own && other.Kind != s.Kind {
				continue // it may differ for another reason
			}
			if other.Cause.Values == s.Cause.Values {
				return j
			}
			if found < 0 {
				found = j
			}
		}
	}
	return found
}

// bySlug ends the names of endpoints that read by slug.
const bySlug = "_by_slug"

// sources returns the paths of the members that a difference repeats, in its response.
func sources(s *Seen) []string {
	if s.Cause.Member == "" || !strings.HasSuffix(s.Path, s.Cause.Member) {
		return nil
	}
	prefix := strings.TrimSuffix(s.Path, s.Cause.Member)
	var all []string
	for _, a := range attributes(s.Cause.Resource, s.Cause.Member) {
		for _, name := range a.Repeats {
			all = append(all, prefix+name)
		}
		if all != nil {
			break
		}
	}
	return all
}

// below reports whether a path is top, or below it.
func below(path, top string) bool {
	rest, ok := strings.CutPrefix(path, top)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
