package sim

import (
	"slices"
	"strings"
)

// renderPlace returns the record of a venue or organizer, without empty fields.
func (c *call) renderPlace(p *post, single bool) object {
	d, lang := definition(p), c.root.lang
	if c.locked(p) {
		return c.renderLockedPlace(p, d)
	}
	o := append(object{{"id", p.id}}, c.postHead(p)...)
	o = o.withText(d.name, texturize(c.translated(p.title), lang))
	o = o.withText("description", content(p.content, lang))
	o = o.withText("excerpt", content(p.excerpt, lang))
	o = o.withText("slug", p.slug)
	if image := c.renderImage(p.image); image != false {
		o = o.with("image", image)
	}
	for _, name := range d.fields {
		o = o.withText(name, p.place.fields[name])
	}
	if single {
		o = o.with("json_ld", c.placeLD(p))
	}
	if d.maps {
		o = o.with("show_map", p.place.showMap).with("show_map_link", p.place.mapLink)
	}
	return c.withGlobalID(o, p)
}

// renderLockedPlace blanks what there is; the name becomes a list, of all things.
func (c *call) renderLockedPlace(p *post, d placeDef) object {
	o := append(object{{"id", p.id}}, c.postHead(p)...)
	o = append(o, object{{d.name, list{}}, {"description", ""}, {"slug", p.slug}}...)
	for _, name := range d.fields {
		if p.place.fields[name] != "" {
			o = o.with(name, "")
		}
	}
	if d.maps {
		o = o.with("show_map", nil).with("show_map_link", nil)
	}
	return c.withGlobalID(o, p)
}

// shownPlaces are the venues or organizers that show inside an event: none in the trash,
// and none that the user may not read.
func (c *call) shownPlaces(ids []int) []*post {
	return slices.DeleteFunc(c.shownPosts(ids), func(p *post) bool { return p.status == "trash" || !c.user.reads(p) })
}

func (c *call) embeddedPlaces(ids []int, single bool) list {
	return each(c.shownPlaces(ids), func(p *post) object { return c.renderPlace(p, single) })
}

// placeLD is the schema.org record of a venue or organizer.
func (c *call) placeLD(p *post) object {
	d, f, lang := definition(p), p.place.fields, c.root.lang
	kind := "Person"
	if d.maps {
		kind = "Place"
	}
	o := object{
		{"@type", kind},
		{"name", c.ldName(p)},
		{"description", ldDescription(content(p.excerpt+p.content, lang))},
	}
	o = c.ldImage(o, p)
	if d.maps {
		return append(o, object{
			{"url", ""}, {"address", ldAddress(f)}, {"telephone", f["phone"]}, {"sameAs", f["website"]},
		}...)
	}
	return append(o, object{
		{"url", f["website"]}, {"telephone", f["phone"]}, {"email", hideEmail(f["email"])}, {"sameAs", f["website"]},
	}...)
}

func ldAddress(f map[string]string) object {
	o := object{{"@type", "PostalAddress"}}
	o = o.withText("streetAddress", f["address"])
	o = o.withText("addressLocality", f["city"])
	o = o.withText("addressRegion", f["state"]+f["province"])
	o = o.withText("postalCode", f["zip"])
	return o.withText("addressCountry", f["country"])
}

// hideEmail makes entities of letters. The real one rolls dice for which; here
// it is every other one, so that answers repeat.
func hideEmail(s string) string {
	var b strings.Builder
	for i, r := range s {
		if i%2 == 0 {
			b.WriteRune(r)
			continue
		}
		b.WriteString("&#" + itoa(int(r)) + ";")
	}
	return b.String()
}
