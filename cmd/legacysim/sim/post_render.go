package sim

import (
	"path"
	"strconv"
	"strings"
)

// postHead returns the members that the records of events, venues and organizers share.
func (c *call) postHead(p *post) object {
	zone := c.root.lang.zone
	return object{
		{"author", itoa(p.author)},
		{"status", p.status},
		{"date", p.date.In(zone).Format(dateTime)},
		{"date_utc", utcText(p.dateUTC)},
		{"modified", p.modified.In(zone).Format(dateTime)},
		{"modified_utc", utcText(p.modifiedUTC)},
		{"url", c.permalink(p)},
	}
}

func (c *call) globalIDs(p *post) object {
	id := c.globalID(p.id)
	return object{{"global_id", id}, {"global_id_lineage", list{id}}}
}

func (c *call) ldImage(o object, p *post) object {
	if img := c.blog.find(imageKind, p.image); img != nil {
		return o.with("image", c.uploadURL(img.file.Path))
	}
	return o
}

// renderImage is the record of an image; false without an image.
func (c *call) renderImage(id int) any {
	p := c.blog.find(imageKind, id)
	if p == nil {
		return false
	}
	f := p.file
	return object{
		{"url", c.uploadURL(f.Path)},
		{"id", p.id},
		{"extension", strings.TrimPrefix(path.Ext(f.Path), ".")},
		{"width", f.Width},
		{"height", f.Height},
		{"filesize", f.Bytes},
		{"sizes", c.renderSizes(f)},
	}
}

func (c *call) renderSizes(f *imageData) (sizes object) {
	ext := path.Ext(f.Path)
	for _, s := range f.Sizes {
		url := c.uploadURL(strings.TrimSuffix(f.Path, ext) + "-" + itoa(s.Width) + "x" + itoa(s.Height) + ext)
		sizes = sizes.with(s.Name, object{
			{"width", s.Width}, {"height", s.Height}, {"mime-type", f.Mime}, {"filesize", s.Bytes}, {"url", url},
		})
	}
	return sizes
}

// findImage accepts an id, or the URL of a file of the site.
func (c *call) findImage(s string) *post {
	if id, err := strconv.Atoi(s); err == nil {
		return c.blog.find(imageKind, id)
	}
	for _, p := range c.blog.selectPosts(imageKind, func(p *post) bool { return c.uploadURL(p.file.Path) == s }) {
		return p
	}
	return nil
}

func (c *call) imageID(input params) int {
	if p := c.findImage(input.str("image")); p != nil {
		return p.id
	}
	return 0
}
