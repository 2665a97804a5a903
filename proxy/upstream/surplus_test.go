package upstream_test

import (
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/google/go-cmp/cmp"
)

// TestPaddingIsLoggedOnce: every response of a site has padding, and the log has one record for
// each root, without the padding.
func TestPaddingIsLoggedOnce(t *testing.T) {
	response := facadetest.Response(200, "Content-Type: application/json\r\n", "<b>opensesame</b>"+facadetest.AnItem)
	site := facadetest.NewRawSite(t, facadetest.Says(response, true))
	var log facadetest.Records
	d := site.Facade(func(o *proxy.Options) {
		o.Log = log.Logger()
		o.Requests = "none"
	})
	for _, line := range []string{"GET /events/5", "GET /venues/5", "PUT /events/5 {}", "GET /es/events/5", "GET /es/venues/5"} {
		d.Want(line, "200")
	}
	var roots []any
	for _, record := range log.Logs.All() {
		if fields := record.ContextMap(); strings.Contains(record.Message, "around the JSON") {
			roots = append(roots, fields["root"], fields["bytes"])
		}
		if strings.Contains(record.Message, "opensesame") {
			t.Errorf("record: %s", record.Message)
		}
	}
	if diff := cmp.Diff([]any{"en", int64(17), "es", int64(17)}, roots); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}
