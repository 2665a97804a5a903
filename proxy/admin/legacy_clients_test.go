package admin_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

// TestStatusLegacyClients: the page lists the clients of the legacy's names by family and network,
// the latest first, with what they use, and no more than 50 of them.
func TestStatusLegacyClients(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	table := regexp.MustCompile(`(?s)<div id="legacy".*?</div>\n\n`)
	if got := table.FindString(o.page()); strings.Contains(got, "<table") {
		t.Errorf("a table, though nobody spoke the legacy's names: %s", got)
	}
	use := func(family, network, resource, method string, refused bool) {
		o.now = o.now.Add(time.Second)
		o.metrics.LegacyRequest(telemetry.LegacyClient{Family: family, Prefix: network, Resource: resource, Method: method}, refused, o.now)
	}
	use("wordpress", "203.0.113.0/24", "events", http.MethodGet, false)
	use("okhttp", "2001:db8:1::/48", "", "<b>", true)
	use("wordpress", "203.0.113.0/24", "events", http.MethodGet, true)
	got := table.FindString(o.page())
	for _, want := range []string{
		"<td>wordpress</td><td>203.0.113.0/24</td><td>events</td><td>get</td><td class=\"number\">2</td><td class=\"number\">1</td>",
		"<td>okhttp</td><td>2001:db8:1::/48</td><td>none</td><td>other</td><td class=\"number\">1</td><td class=\"number\">1</td>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %s: %s", want, got)
		}
	}
	if strings.Index(got, "wordpress") > strings.Index(got, "okhttp") {
		t.Errorf("not the latest first: %s", got)
	}
	for i := range 2000 {
		use("curl", fmt.Sprintf("2001:db8:%x::/48", 16+i), "tags", http.MethodGet, false)
	}
	got = table.FindString(o.page())
	if n := strings.Count(got, "<tr><td>"); n != 50 || !strings.Contains(got, "more were seen earlier.") ||
		!strings.Contains(got, "2001:db8:7df::/48") {
		t.Errorf("%d clients: %s", n, got)
	}
}
