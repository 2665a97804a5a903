package sim

import (
	"io"
	"net/http"
	"time"
)

// maxBody is where PHP's post_max_size stands by default.
const maxBody = 8 << 20

// New returns a Site with the seed in it.
func New(opts Options) *Site {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	s := &Site{opts: opts, routes: routeTable(), languages: opts.Languages.languages()}
	s.blogs = s.newBlogs()
	s.sow()
	return s
}

// ServeHTTP answers with the REST API or a page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w = s.opts.Setup.writer(w)
	if s.opts.Setup.webserver(w, r) {
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "body too large", http.StatusRequestEntityTooLarge)
		return
	}
	c := s.newCall(r, body)
	if c.root.rest {
		c.respond(w)
		return
	}
	c.page(w)
}
