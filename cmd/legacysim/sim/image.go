package sim

import (
	"path"
	"strconv"
	"strings"
)

// findImage accepts an id, or the URL of a file of the site.
func (c *call) findImage(s string) *post {
	if id, err := strconv.Atoi(s); err == nil {
		return c.blog.find(imageKind, id)
	}
	for _, p := range c.blog.all(imageKind, func(p *post) bool { return c.uploadURL(p.file.path) == s }) {
		return p
	}
	return nil
}

// imageSizes are those that WordPress cuts, in the order it lists them.
var imageSizes = []struct {
	name          string
	width, height int
	crop          bool
}{
	{"medium", 300, 300, false},
	{"large", 1024, 1024, false},
	{"thumbnail", 150, 150, true},
	{"medium_large", 768, 0, false},
}

// renderImage is false where there is none.
func (c *call) renderImage(id int) any {
	p := c.blog.find(imageKind, id)
	if p == nil {
		return false
	}
	f := p.file
	return object{
		{"url", c.uploadURL(f.path)},
		{"id", p.id},
		{"extension", strings.TrimPrefix(path.Ext(f.path), ".")},
		{"width", f.width},
		{"height", f.height},
		{"filesize", f.bytes},
		{"sizes", c.renderSizes(f)},
	}
}

// renderSizes leaves out those that would not be smaller than the file.
func (c *call) renderSizes(f *imageData) object {
	var sizes object
	ext := path.Ext(f.path)
	for _, s := range imageSizes {
		if f.width <= s.width && (s.height == 0 || f.height <= s.height) {
			continue
		}
		w, h := s.width, s.height
		if !s.crop {
			w, h = fit(f.width, f.height, s.width)
		}
		sizes = sizes.with(s.name, object{
			{"width", w}, {"height", h},
			{"mime-type", f.mime},
			{"filesize", f.bytes * w / f.width},
			{"url", c.uploadURL(strings.TrimSuffix(f.path, ext) + "-" + itoa(w) + "x" + itoa(h) + ext)},
		})
	}
	return sizes
}

func fit(w, h, most int) (int, int) {
	if w >= h {
		return most, (h*most + w/2) / w
	}
	return (w*most + h/2) / h, most
}
