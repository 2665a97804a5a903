package upstream_test

import (
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/google/go-cmp/cmp"
)

// TestNamespaceMissing: the plugin of the site is deactivated, and activated again. One call
// without a route is no sign of it, nor is a slug for which the site has no route, since clients
// choose it (recording odd-by-slug-5). The log has one record for each change.
func TestNamespaceMissing(t *testing.T) {
	notFound := facadetest.Response(404, "Content-Type: application/json\r\n",
		`{"code":"rest_no_route","message":"No route","data":{"status":404}}`)
	present := facadetest.Response(200, "Content-Type: application/json\r\n", facadetest.AnItem)
	site := facadetest.NewRawSite(t, facadetest.Says(notFound, true))
	var log facadetest.Records
	d := site.Facade(func(o *proxy.Options) {
		o.Log = log.Logger()
		o.Requests = "none"
	})
	missing := func(want bool) {
		t.Helper()
		if got := d.Upstreams()[0]; got.Root != "en" || got.NamespaceMissing != want {
			t.Errorf("missing is %t, want %t: %+v", got.NamespaceMissing, want, got)
		}
	}
	for _, call := range []string{`GET /events/by-slug/%5Ca`, `GET /venues/by-slug/%5Ca`, `DELETE /events/by-slug/%5Ca`,
		`POST /organizers/by-slug/%5Ca {"phone":"1"}`} {
		d.Want(call, "404 rest_no_route")
	}
	missing(false)
	d.Want("GET /events/5", "404 rest_no_route")
	d.Want("GET /events/6", "404 rest_no_route")
	missing(false)
	d.Want("DELETE /events/7", "404 rest_no_route")
	d.Want("GET /events/8", "404 rest_no_route")
	missing(true)
	site.Does(facadetest.Says(present, true))
	d.Want("GET /events/5", "200")
	missing(false)
	var got []string
	for _, record := range log.Logs.All() {
		if strings.Contains(record.Message, "the site has") {
			got = append(got, record.Message)
		}
	}
	if diff := cmp.Diff([]string{"the site has no route for any call: is its calendar plugin active?",
		"the site has its routes again"}, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}
