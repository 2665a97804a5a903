package mapping

import (
	"slices"
	"strings"
)

// Tags say what an answer shows, and so which changes end it. Each begins with
// the code of the language root that answered:
//
//	es:events        which events there are: lists, what is counted, that there is none
//	es:events:12     event 12, wherever it is shown
//	es:events:any    any event at all
//
// Venues, organizers and terms likewise. The number of tags of an answer is that
// of the items inside.
type tagSet struct {
	language string
	tags     []string
}

func (s *tagSet) add(parts ...string) {
	tag := s.language
	for _, p := range parts {
		tag += ":" + p
	}
	s.tags = append(s.tags, tag)
}

func (s *tagSet) items(items []Item) {
	for _, i := range items {
		s.add(i.Resource, i.ID)
	}
}

func (s *tagSet) sorted() []string {
	slices.Sort(s.tags)
	return slices.Compact(s.tags)
}

const anyItem = "any"

// Tags gives the tags of the answer to a read that shows items. root is the code
// of the language root that answered.
func (c *Call) Tags(root string, shows []Item) []string {
	set := tagSet{language: root}
	set.items(shows)
	own := c.Endpoint.Resource
	if c.Endpoint.Action == List || len(shows) == 0 {
		set.add(own)
		set.add(own, anyItem)
	}
	if c.Item != "" && !c.Endpoint.BySlug() {
		set.add(own, c.Item)
	}
	for _, i := range shows {
		set.add(i.Resource, anyItem)
		if other := counted[i.Resource]; other != "" {
			set.add(other)
		}
	}
	for _, a := range c.Query {
		if a.Param.Of != "" && !a.isDefault() {
			set.add(a.Param.Of)
		}
	}
	return set.sorted()
}

// Purges gives the tags of what a write ends. id is that of the item written and
// shows what its answer shows; both are empty where there was no answer, and
// then every item of the resource may have changed.
func (c *Call) Purges(root, id string, shows []Item) []string {
	set := tagSet{language: root}
	own := c.Endpoint.Resource
	set.add(own)
	switch {
	case id != "":
		set.add(own, id)
	case c.Item != "" && !c.Endpoint.BySlug():
		set.add(own, c.Item)
	default:
		set.add(own, anyItem)
	}
	for _, a := range c.Fields {
		other := a.Param.Of
		if other == "" {
			continue
		}
		set.add(other) // one may have been made on the way, or changed if it had that name
		if id == "" {
			set.add(other, anyItem)
		}
		for _, i := range shows {
			if i.Resource == other {
				set.add(i.Resource, i.ID)
			}
		}
	}
	return set.sorted()
}

// InLanguages gives each tag in every language.
func InLanguages(tags []string, codes []string) []string {
	var all []string
	for _, tag := range tags {
		_, rest, _ := strings.Cut(tag, ":")
		for _, code := range codes {
			all = append(all, code+":"+rest)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
