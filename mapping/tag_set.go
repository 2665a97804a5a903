package mapping

import (
	"slices"
	"strconv"
	"strings"
)

// tagSet collects the tags of a response or of a purge.
type tagSet struct {
	space TagSpace
	tags  []string
	text  strings.Builder // of the tags, in few pieces of memory
}

func (s *tagSet) addList(root, resource string) { s.write(root, ":", resource) }

// addLists adds the lists of a resource in every language.
func (s *tagSet) addLists(resource string) {
	for _, root := range s.space.Roots {
		s.addList(root, resource)
	}
}

func (s *tagSet) addItem(resource, id string) {
	if s.space.Site == "" {
		s.write(resource, ":", id)
		return
	}
	s.write(s.space.Site, ":", resource, ":", id)
}

func (s *tagSet) write(parts ...string) {
	start := s.text.Len()
	for _, p := range parts {
		s.text.WriteString(p)
	}
	s.tags = append(s.tags, s.text.String()[start:])
}

// shown adds items, each with what purges any of its resource.
func (s *tagSet) shown(root string, items []Item) {
	s.tags = make([]string, 0, len(items)+usualTags)
	s.text.Grow(cap(s.tags) * bytesPerTag)
	var seen []string
	repeats := false
	for _, i := range items {
		s.addItem(i.Resource, i.ID)
		if !repeats && isOccurrence(i.Resource, i.ID) {
			repeats = true
			s.addItem(i.Resource, anyOccurrence)
		}
		if slices.Contains(seen, i.Resource) {
			continue
		}
		seen = append(seen, i.Resource)
		s.addItem(i.Resource, anyItem)
		if other := counted[i.Resource]; other != "" {
			s.addList(root, other)
		}
	}
}

// changed adds what a change of an item changes, or of any if id is "". Nothing says
// which occurrences are of a series, and of which series an occurrence is.
func (s *tagSet) changed(resource, id string) {
	s.addLists(resource)
	if id == "" || isOccurrence(resource, id) {
		s.addItem(resource, anyItem)
	}
	if id != "" {
		s.addItem(resource, id)
	}
	if _, repeats := occurrencesFrom[resource]; repeats {
		s.addItem(resource, anyOccurrence)
	}
}

// usualTags is how many tags most answers have that are not of an item.
const usualTags = 8

// bytesPerTag is how long most tags are at most: what is longer costs another
// allocation.
const bytesPerTag = 24

func (s *tagSet) sorted() []string {
	slices.Sort(s.tags)
	return slices.Compact(s.tags)
}

// Words in place of an id in a tag.
const (
	anyItem       = "any"
	anyOccurrence = "occurrence"
)

// isOccurrence reports whether an item may be one of a series.
func isOccurrence(resource, id string) bool {
	from, repeats := occurrencesFrom[resource]
	if !repeats {
		return false
	}
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n > from
}
