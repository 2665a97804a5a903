package contract_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/lane"
)

// TestReportUnknown: a response names the parameters that it does not depend on, from the cache and
// through the lane too.
func TestReportUnknown(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Unknown = mapping.Report })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	front := &http.Server{Handler: f.Facade, ConnContext: lane.ConnContext, ReadTimeout: time.Minute}
	hits := proxy.NewLane(front, func() (*proxy.Facade, func()) { return f.Facade, func() {} })
	go func() { _ = front.Serve(lane.Cork(listener, hits)) }()
	t.Cleanup(func() { _ = front.Close() })
	f.URL = "http://" + listener.Addr().String()
	long := strings.Repeat("n", 100)
	many := ""
	for i := range 20 {
		many += fmt.Sprintf("&x%d=", i)
	}
	for path, want := range map[string]string{
		"/events/5":                            "",
		"/events/5?password=&i18n_language=en": "",
		"/events/5?_fields=id,title":           "_fields",
		"/events?b=1&_fields=id&a[]=2&page=1":  "b, _fields, a",
		"/events?%0d%0aX-Evil:1=1&%c3%a9=1":    "%0D%0AX-Evil%3A1, %C3%A9",
		"/events?" + long + "=1":               long[:64],
		"/events?" + many[1:]:                  "x0, x1, x2, x3, x4, x5, x6, x7, x8, x9",
	} {
		for range 3 {
			if res, _ := f.Send("GET " + path); res.Header.Get(mapping.HeaderDropped) != want {
				t.Errorf("%s: %d, %s: %q, want %q", path, res.StatusCode, mapping.HeaderDropped, res.Header.Get(mapping.HeaderDropped),
					want)
			}
		}
	}
	res, _ := f.Send("POST /tags name=a&colour=red", "Content-Type: application/x-www-form-urlencoded", "Authorization: Basic YTpi")
	if res.Header.Get(mapping.HeaderDropped) != "colour" {
		t.Errorf("a write: %v", res.Header)
	}
}
