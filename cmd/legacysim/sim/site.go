package sim

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options are how a Site is set up; the zero value is good.
type Options struct {
	Clock func() time.Time // nil: time.Now
	Site  string           // scheme://host[:port] that links start with; "": taken from each request's Host, as http
	Delay time.Duration    // before every answer

	Setup Setup // how it differs from the default setup

	Events  int     // how many made-up events there are beside the seed, over all languages
	Planted []Plant // in what the site differs from one without them; for languages that are Apart

	Languages LanguageMode // how the languages are stored
	Recurring int          // how many series of events there are in each language, whose occurrences have ids of their own
}

// maxBody is where PHP's post_max_size stands by default.
const maxBody = 8 << 20

// Site is the whole legacy site, all languages, in memory. It is an
// http.Handler and safe for concurrent use.
type Site struct {
	opts      Options
	routes    []route
	tecRoutes []tecRoute
	languages []*language

	mu      sync.RWMutex // held to write by requests that may change blogs
	blogs   map[string]*blog
	planted []Plant // as they were put into blogs
}

// New returns a Site with the seed in it.
func New(opts Options) *Site {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	s := &Site{opts: opts, routes: routeTable(), tecRoutes: tecRoutes(), languages: opts.Languages.languages()}
	s.Reset()
	return s
}

// Reset puts the seed back, dated by the clock of now.
func (s *Site) Reset() {
	blogs := s.newBlogs()
	planted := s.sow(blogs)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blogs, s.planted = blogs, planted
	s.change()()
}

// ServeHTTP answers with the REST API or a page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w = s.opts.Setup.writer(w)
	if !s.wait(r.Context()) || s.opts.Setup.webserver(w, r) {
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

// wait is the artificial latency; false if the client has disconnected.
func (s *Site) wait(ctx context.Context) bool {
	if s.opts.Delay <= 0 {
		return true
	}
	t := time.NewTimer(s.opts.Delay)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// base is what links start with.
func (s *Site) base(r *http.Request) string {
	if s.opts.Site != "" {
		return strings.TrimSuffix(s.opts.Site, "/")
	}
	return "http://" + r.Host
}
