package mapping

import "cmp"

// Tags are what a response shows, and so which changes purge it:
//
//	events:12          event 12, wherever it is shown and in whatever language
//	events:any         any event at all
//	events:occurrence  any occurrence of a series
//	es:events          which events the Spanish root has: lists, counts, that there is none
//
// Venues, organizers and terms likewise. The number of tags of a response is that
// of the items inside.
//
// Tags of items name no language, for no root shows items of its own language alone:
// with TranslatePress one id is all languages, with Polylang one root shows all of
// them, and WPML shows the original where a translation is missing. A write purges
// the lists of all languages for the same reason.

// Tags returns the tags of the response to a read that shows items. root is the code
// of the language root that answered.
func (c *Call) Tags(space TagSpace, root string, shows []Item) []string {
	set := tagSet{space: space}
	set.shown(root, shows)
	if len(shows) == 0 {
		set.addList(root, c.Endpoint.Resource)
	}
	own := c.Endpoint.Resource
	if set.addItem(own, anyItem); c.Endpoint.Action == List {
		set.addList(root, own)
	}
	if c.Item != "" && !c.Endpoint.BySlug() {
		set.addItem(own, c.Item)
	}
	for _, a := range c.Query {
		if other := cmp.Or(a.Param.Of, a.Param.Names); other != "" && !a.IsDefault() {
			set.addList(root, other)
		}
	}
	return set.sorted()
}

// Purges returns the tags of what a write changes. id is that of the item written and
// shows what its response shows; both are empty where there was no answer, and
// then every item of the resource may have changed.
func (c *Call) Purges(space TagSpace, id string, shows []Item) []string {
	set := tagSet{space: space}
	own := c.Endpoint.Resource
	if !c.Endpoint.BySlug() && c.Item != "" {
		set.changed(own, c.Item) // an occurrence that is written can become an event of its own
	}
	if id != "" || c.Item == "" || c.Endpoint.BySlug() {
		set.changed(own, id)
	}
	for _, a := range c.Fields {
		other := a.Param.Of
		if other == "" || a.Preserved {
			continue
		}
		set.addLists(other) // one may have been made on the way, or changed if it had that name
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
