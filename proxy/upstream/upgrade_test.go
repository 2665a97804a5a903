package upstream_test

import (
	"io"
	"net"
	"testing"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"

// hints writes informational responses until the client disconnects.
func hints(_ *facadetest.RawSite, c net.Conn, _ int) bool {
	for {
		if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"); err != nil {
			return false
		}
	}
}

// TestInformational: no answer with 1xx holds a call, whatever follows it.
func TestInformational(t *testing.T) {
	for name, test := range map[string]struct {
		does             facadetest.Script
		get, head, write string
	}{
		"101 and silence": {hangs(switching), "502 calendar_upstream_invalid", "502", "504 calendar_write_outcome_unknown"},
		"101 and the end": {facadetest.Says(switching, false), "502 calendar_upstream_invalid", "502", "504 calendar_write_outcome_unknown"},
		"103 for ever":    {hints, "502 calendar_upstream_failed", "502", "504 calendar_write_outcome_unknown"},
		"100 and silence": {hangs("HTTP/1.1 100 Continue\r\n\r\n"), "504 calendar_upstream_timeout", "504",
			"504 calendar_write_outcome_unknown"},
		"103, then all": {facadetest.Says("HTTP/1.1 103 Early Hints\r\n\r\n"+facadetest.Response(200, "", facadetest.AnItem), true),
			"200", "200", "200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := facadetest.NewRawSite(t, test.does)
			d := site.Facade(func(o *proxy.Options) {
				o.Upstream.Timeout = testwait.Limit
				if name == "100 and silence" {
					firstByteSoon(o)
				}
			})
			d.Want("GET /events/5", test.get)
			d.Want("HEAD /events/5", test.head)
			d.Want(`PUT /events/5 {"title":"A"}`, test.write)
		})
	}
}
