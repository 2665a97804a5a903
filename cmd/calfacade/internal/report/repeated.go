package report

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// seen is a difference in the responses to the calls of a step.
type seen struct {
	*Step
	*Document
	compare.Difference
}

// assign completes the causes of the differences of a step. A difference that repeats another one of
// the same response has the cause of that one. An item that cannot be read by its slug, because it
// has another one, has the cause of the slug.
func assign(all []seen) {
	for i := range all {
		all[i].complete()
	}
	own := slices.Clone(all)
	for i := range all {
		if source := sourceOf(own, i); source >= 0 {
			all[i].Cause = own[source].Cause
		}
	}
}

// complete adds to the cause what follows from the call, and not from the document.
func (s *seen) complete() {
	c := &s.Cause
	resource, _, _ := strings.Cut(s.Endpoint, ".")
	if c.Resource == "" {
		c.Resource, c.Member = resource, s.Path
	}
	if c.ID == "" && c.Resource == resource {
		c.ID = s.ID
	}
}

// sourceOf returns the index of the difference that the one at i repeats; -1 for none.
func sourceOf(all []seen, i int) int {
	s := &all[i]
	if s.Kind == compare.Status {
		return slices.IndexFunc(all, func(other seen) bool {
			return strings.HasSuffix(s.Endpoint, bySlug) && other.Cause.Member == mapping.SlugParam.Name
		})
	}
	found := -1
	for _, path := range sources(s) {
		for j := range all {
			other := &all[j]
			if other.Call != s.Call || s.Item != "" && other.Item != s.Item || !below(other.Path, path) {
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
func sources(s *seen) []string {
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
