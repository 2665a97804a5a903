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
	text     strings.Builder // of the tags, in few pieces of memory
}

// add adds a tag of a resource.
func (s *tagSet) add(resource string) { s.write(s.language, ":", resource) }

func (s *tagSet) addItem(resource, id string) { s.write(s.language, ":", resource, ":", id) }

func (s *tagSet) write(parts ...string) {
	start := s.text.Len()
	for _, p := range parts {
		s.text.WriteString(p)
	}
	s.tags = append(s.tags, s.text.String()[start:])
}

// shown adds items, each with what any of its resource ends.
func (s *tagSet) shown(items []Item) {
	s.tags = make([]string, 0, len(items)+usualTags)
	s.text.Grow(cap(s.tags) * bytesPerTag)
	var seen []string
	for _, i := range items {
		s.addItem(i.Resource, i.ID)
		if slices.Contains(seen, i.Resource) {
			continue
		}
		seen = append(seen, i.Resource)
		s.addItem(i.Resource, anyItem)
		if other := counted[i.Resource]; other != "" {
			s.add(other)
		}
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

const anyItem = "any"

// Tags gives the tags of the answer to a read that shows items. root is the code
// of the language root that answered.
func (c *Call) Tags(root string, shows []Item) []string {
	set := tagSet{language: root}
	set.shown(shows)
	own := c.Endpoint.Resource
	if c.Endpoint.Action == List || len(shows) == 0 {
		set.add(own)
		set.addItem(own, anyItem)
	}
	if c.Item != "" && !c.Endpoint.BySlug() {
		set.addItem(own, c.Item)
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
	written := id
	if written == "" && !c.Endpoint.BySlug() {
		written = c.Item
	}
	set.changed(c.Endpoint.Resource, written)
	for _, a := range c.Fields {
		other := a.Param.Of
		if other == "" || a.Kept {
			continue
		}
		set.add(other) // one may have been made on the way, or changed if it had that name
		if id == "" {
			set.addItem(other, anyItem)
		}
		for _, i := range shows {
			if i.Resource == other {
				set.addItem(i.Resource, i.ID)
			}
		}
	}
	return set.sorted()
}

// PurgesOf gives the tags of what a change of an item ends that the facade did not
// make: the item wherever it is shown, the lists of its kind, and what counts it.
// language is the code of a language root. Without an id every item of the
// resource may have changed.
func PurgesOf(resource, id, language string) []string {
	set := tagSet{language: language}
	set.changed(resource, id)
	return set.sorted()
}

// changed adds what ends with a change of an item, or of any if id is "".
func (s *tagSet) changed(resource, id string) {
	s.add(resource)
	if id == "" {
		id = anyItem
	}
	s.addItem(resource, id)
}

// IsTag reports whether tag is one that an answer can have, in one of the
// languages.
func IsTag(tag string, languages []string) bool {
	language, rest, _ := strings.Cut(tag, ":")
	resource, item, found := strings.Cut(rest, ":")
	if !slices.Contains(languages, language) || !slices.Contains(Resources(), resource) {
		return false
	}
	id, ok := positive(item)
	return !found || item == anyItem || ok && id == item
}

// Resources are the collections of the table, in its order.
func Resources() []string {
	var all []string
	for i := range Table {
		if r := Table[i].Resource; r != "" && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// Singular is what one item of a resource is called: "event", "category".
func Singular(resource string) string {
	if stem, found := strings.CutSuffix(resource, "ies"); found {
		return stem + "y"
	}
	return strings.TrimSuffix(resource, "s")
}

// ResourceOf gives the resource of what [Singular] names; "" for none.
func ResourceOf(singular string) string {
	for _, r := range Resources() {
		if Singular(r) == singular {
			return r
		}
	}
	return ""
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
