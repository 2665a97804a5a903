package admin_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// TestStatusInstances: the page names the instances on the same Redis, and says when Redis is down.
func TestStatusInstances(t *testing.T) {
	server := redistest.StartServer(t)
	o := newOperator(t)
	prefix := redistest.FreshPrefix()
	open := func() *redisstore.Store {
		s, err := redisstore.Open(redisstore.Options{URLs: []string{server.URL()}, Prefix: prefix})
		return redistest.Closing(t, s, err)
	}
	first := open()
	second := open()
	o.metrics.Watch(telemetry.Sources{Cache: o.cache, Redis: first, Upstreams: o.facade.Upstreams})
	o.state = admin.NewPageState(admin.PageStateOptions{Metrics: o.metrics, Name: "web1/:8080"})
	redistest.Must(t, first.ReadLog())
	o.signIn()
	o.state.Sample()
	o.state.Sample()
	if instances, err := second.Announce(t.Context(), "<web2>", "v2"); err != nil || len(instances) != 1 {
		t.Fatalf("without requests: %+v, %v", instances, err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/wp-json/calendar/events/v1", nil)
	o.facade.ServeHTTP(httptest.NewRecorder(), r)
	o.state.Sample() // announces this instance without anybody who looks at its page
	instances, err := second.Announce(t.Context(), "<web2>", "v2")
	if err != nil || len(instances) != 2 || instances[0].Name != "<web2>" ||
		instances[1].Name != "web1/:8080" || instances[1].Version != "v1" {
		t.Fatalf("%+v, %v", instances, err)
	}
	page := o.page()
	for _, want := range []string{`<th scope="row">web1/:8080</th><td>v1</td><td><time`,
		`<th scope="row">&lt;web2&gt;</th><td>v2</td><td><time`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page[strings.Index(page, "<main"):])
		}
	}
	server.Kill()
	_ = first.ReadLog()
	if page := o.page(); strings.Contains(page, "instances-title") {
		t.Error("instances, although Redis does not answer")
	}
}
