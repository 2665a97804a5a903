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
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve(w, r, (*call).runLocked) }

func (s *Site) serve(w http.ResponseWriter, r *http.Request, run func(*call) *answer) {
	s.opts.Setup.headers(w)
	if s.opts.Setup.webserver(w, r) {
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "body too large", http.StatusRequestEntityTooLarge)
		return
	}
	switch c := s.newCall(r, body); {
	case !c.root.rest:
		c.page(w)
	case badCallback(c.query):
		c.refuseCallback(w)
	default: // nothing is written under the lock: a slow client would hold up all the others
		c.write(w, run(c))
	}
}
