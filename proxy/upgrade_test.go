package proxy_test

import (
	"io"
	"net"
	"testing"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy"
)

const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"

// hints writes informational responses until the client disconnects.
func hints(_ *rawSite, c net.Conn, _ int) bool {
	for {
		if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"); err != nil {
			return false
		}
	}
}

// TestInformational: no answer with 1xx holds a call, whatever follows it.
func TestInformational(t *testing.T) {
	for name, test := range map[string]struct {
		does             script
		get, head, write string
	}{
		"101 and silence": {hangs(switching), "502 calendar_upstream_invalid", "502", "504 calendar_write_outcome_unknown"},
		"101 and the end": {says(switching, false), "502 calendar_upstream_invalid", "502", "504 calendar_write_outcome_unknown"},
		"103 for ever":    {hints, "502 calendar_upstream_failed", "502", "504 calendar_write_outcome_unknown"},
		"100 and silence": {hangs("HTTP/1.1 100 Continue\r\n\r\n"), "504 calendar_upstream_timeout", "504",
			"504 calendar_write_outcome_unknown"},
		"103, then all": {says("HTTP/1.1 103 Early Hints\r\n\r\n"+response(200, "", anItem), true), "200", "200", "200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := newRawSite(t, test.does)
			d := site.facade(func(o *proxy.Options) {
				o.Upstream.Timeout = testwait.Limit
				if name == "100 and silence" {
					firstByteSoon(o)
				}
			})
			d.want("GET /events/5", test.get)
			d.want("HEAD /events/5", test.head)
			d.want(`PUT /events/5 {"title":"A"}`, test.write)
		})
	}
}
