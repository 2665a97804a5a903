package sim

import (
	"cmp"
	"slices"
	"strings"
)

func (d placeDef) read(c *call) (*answer, error) {
	p := d.target(c)
	if !c.user.reads(p) {
		return nil, c.root.lang.fail(403, d.name+"-not-accessible", "The requested "+d.name+" is not accessible")
	}
	return ok(c.renderPlace(p, true))
}

func (d placeDef) list(c *call) (*answer, error) {
	found := d.sorted(c, d.filters(c)...)
	p := c.paging(len(found), maxPerPage)
	if words := searchWords(c.params.str("search")); words != nil {
		hits := slices.DeleteFunc(slices.Clone(found), func(p *post) bool { return !d.mentions(p, words) })
		// A search without a hit lists nothing but counts everything.
		if len(hits) > 0 {
			p = c.paging(len(hits), maxPerPage)
		}
		found = hits
	}
	if p.beyond() {
		return nil, c.root.lang.fail(404, d.name+"-archive-page-not-found", "The requested "+d.name+" archive page does not exist")
	}
	items := each(slice(found, p), func(p *post) object { return c.renderPlace(p, false) })
	q := query{{"page", itoa(p.page)}, {"per_page", itoa(p.per)}}
	for _, name := range []string{"event", "has_events"} {
		if c.params.given(name) {
			q = append(q, pair{name, c.params.str(name)})
		}
	}
	q = append(q, statusPair(c.statusParam()))
	return c.postList(d.key, items, p, q.raw(), q.without("page")), nil
}

// sorted are those that pass, the newest first.
func (d placeDef) sorted(c *call, pass ...func(*post) bool) []*post {
	found := c.blog.all(d.kind, every(pass))
	slices.SortFunc(found, func(a, b *post) int {
		return cmp.Or(b.date.Compare(a.date), b.id-a.id)
	})
	return found
}

func (d placeDef) filters(c *call) []func(*post) bool {
	statuses := c.listStatuses()
	pass := []func(*post) bool{c.listsPost, func(p *post) bool { return slices.Contains(statuses, p.status) }}
	used := func(keep func(*post) bool) map[int]bool {
		ids := map[int]bool{}
		for _, e := range c.blog.all(eventKind, keep) {
			for _, id := range d.events(e.event) {
				ids[id] = true
			}
		}
		return ids
	}
	if c.params.given("event") {
		ids := used(func(p *post) bool { return p.id == c.params.int("event") })
		pass = append(pass, func(p *post) bool { return ids[p.id] })
	}
	if c.params.given("has_events") {
		ids, want := used(func(p *post) bool { return p.status != "trash" }), c.params.bool("has_events")
		pass = append(pass, func(p *post) bool { return ids[p.id] == want })
	}
	if c.params.bool("only_with_upcoming") {
		ids := used(func(p *post) bool { return p.status == "publish" && p.event.start.After(c.now) })
		pass = append(pass, func(p *post) bool { return ids[p.id] })
	}
	return pass
}

func (d placeDef) mentions(p *post, words []string) bool {
	texts := []string{p.title, p.content}
	for _, name := range d.fields {
		texts = append(texts, p.place.fields[name])
	}
	return hasWords(words, strings.Join(texts, "\n"))
}
