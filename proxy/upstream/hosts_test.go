package upstream_test

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// TestReloadKeepsWhatIsKnown: the facade after another knows of an open breaker and of a
// pause, whatever has changed that the client of the host is not made of.
func TestReloadKeepsWhatIsKnown(t *testing.T) {
	for name, test := range map[string]struct {
		reply string
		calls int
		want  string
	}{
		"breaker": {facadetest.Response(500, "", ""), 4, downAnHour},
		"pause":   {facadetest.Response(503, "Retry-After: 3600\r\n", ""), 1, downAnHour},
	} {
		t.Run(name, func(t *testing.T) {
			site := facadetest.NewRawSite(t, facadetest.Says(test.reply, true))
			hosts := new(upstream.Hosts)
			current := site.Next(hosts, nil)
			for range test.calls {
				current.Send("GET /events/5")
			}
			site.Does(fine)
			sends := site.Sends.Load()
			current.Want("GET /events/5", test.want)
			for change, alter := range map[string]func(*proxy.Options){
				"nothing":    nil,
				"public_url": func(o *proxy.Options) { o.PublicURL = "https://other.example.org" },
				"a call's": func(o *proxy.Options) {
					o.Upstream.Timeout = time.Minute
					o.Upstream.Retries = 1
				},
				"a language":  func(o *proxy.Options) { o.Site = o.Site[:1] },
				"equal lists": func(o *proxy.Options) { o.Legacy.SiteAliases = []string{"https://alias.example.org"} },
			} {
				reloaded := site.Next(hosts, alter)
				if got := reloaded.Send("GET /events/5"); got != test.want {
					t.Errorf("%s changed: got %s, want %s", change, got, test.want)
				}
			}
			if got := site.Sends.Load(); got != sends {
				t.Errorf("the site was called %d times", got-sends)
			}
		})
	}
}

// TestReloadOfTheClient: where the client is made otherwise it is another one, which
// knows nothing yet. Options are compared by value.
func TestReloadOfTheClient(t *testing.T) {
	cas := func() *x509.CertPool {
		pool := x509.NewCertPool()
		pool.AddCert(certificateOf(t))
		return pool
	}
	access := func() upstream.AccessOptions {
		return upstream.AccessOptions{Host: "www.example.org", CAs: cas(), Header: http.Header{"X-Key": {"one"}}}
	}
	for name, test := range map[string]struct {
		alter func(*proxy.Options)
		want  string
	}{
		"the same by value": {func(*proxy.Options) {}, downAnHour},
		"a secret":          {func(o *proxy.Options) { o.Upstream.Access.Header.Set("X-Key", "two") }, "200"},
		"the CAs":           {func(o *proxy.Options) { o.Upstream.Access.CAs = nil }, "200"},
		"the limit":         {func(o *proxy.Options) { o.Upstream.MaxConcurrent = 3 }, "200"},
		"the queue":         {func(o *proxy.Options) { o.Upstream.MaxQueue = 3 }, "200"},
		"the wait":          {func(o *proxy.Options) { o.Upstream.QueueTimeout = time.Hour }, "200"},
		"the breaker":       {func(o *proxy.Options) { o.Upstream.Breaker.Failures = 9 }, "200"},
		"a timeout":         {func(o *proxy.Options) { o.Upstream.HeaderTimeout = time.Minute }, "200"},
		"connecting":        {func(o *proxy.Options) { o.Upstream.ConnectTimeout = time.Minute }, "200"},
	} {
		t.Run(name, func(t *testing.T) {
			site := facadetest.NewRawSite(t, facadetest.Says(facadetest.Response(500, "", ""), true))
			hosts := new(upstream.Hosts)
			current := site.Next(hosts, func(o *proxy.Options) { o.Upstream.Access = access() })
			for range 4 {
				current.Send("GET /events/5")
			}
			site.Does(fine)
			reloaded := site.Next(hosts, func(o *proxy.Options) {
				o.Upstream.Access = access()
				test.alter(o)
			})
			reloaded.Want("GET /events/5", test.want)
		})
	}
}

func certificateOf(t *testing.T) *x509.Certificate {
	site := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(site.Close)
	return site.Certificate()
}

// TestReloadKeepsTheLimit: both facades together keep to it, and to the budget of retries.
func TestReloadKeepsTheLimit(t *testing.T) {
	t.Run("places", func(t *testing.T) {
		arrived := make(chan bool)
		release := make(chan bool)
		site := facadetest.NewRawSite(t, func(s *facadetest.RawSite, c net.Conn, n int) bool {
			arrived <- true
			<-release
			return fine(s, c, n)
		})
		hosts := new(upstream.Hosts)
		limit := func(o *proxy.Options) { o.Upstream.MaxConcurrent = 1 }
		current := site.Next(hosts, limit)
		reloaded := site.Next(hosts, limit)
		held := make(chan string)
		go func() { held <- current.Send("GET /venues/5") }()
		<-arrived
		reloaded.Want("GET /events/5", down+" after 1")
		release <- true
		if got := <-held; got != "200" {
			t.Errorf("the call that was under way: %s", got)
		}
	})
	t.Run("budget", func(t *testing.T) {
		site := facadetest.NewRawSite(t, facadetest.Says(facadetest.Response(502, "", ""), true))
		hosts := new(upstream.Hosts)
		retrying := func(o *proxy.Options) {
			o.Upstream.Breaker = upstream.BreakerOptions{}
			o.Upstream.Retries = 1
		}
		for range 3 {
			d := site.Next(hosts, retrying)
			for range 10 {
				d.Send("GET /events/5")
			}
		}
		if got := site.Sends.Load(); got != 30+15 {
			t.Errorf("sent %d, want 30, the 10 retries that a budget begins with, and 5 that the calls have earned", got)
		}
	})
}

// TestHostsAreForgotten: a host that no facade uses any more is forgotten.
func TestHostsAreForgotten(t *testing.T) {
	site := facadetest.NewRawSite(t, facadetest.Says(facadetest.Response(500, "", ""), true))
	hosts := new(upstream.Hosts)
	o := facadetest.FaultOptions(site.URL)
	facadetest.Breaks(&o)
	o.Hosts = hosts
	current := &facadetest.Direct{Facade: proxy.New(o), T: t}
	for range 4 {
		current.Send("GET /events/5")
	}
	next := proxy.New(o)
	current.Close()
	site.Does(fine)
	(&facadetest.Direct{Facade: next, T: t}).Want("GET /events/5", downAnHour)
	next.Close()
	site.Next(hosts, nil).Want("GET /events/5", "200")
}
