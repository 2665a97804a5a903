package upstream_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestExpectContinue: a client that announces too large a body is refused before it sends the body.
func TestExpectContinue(t *testing.T) {
	site := facadetest.NewRawSite(t, fine)
	server := httptest.NewServer(site.Facade(func(o *proxy.Options) { o.MaxRequestBody = 100 }))
	defer server.Close()
	for length, want := range map[int]string{100: "HTTP/1.1 100 Continue", 101: "HTTP/1.1 413 Request Entity Too Large"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = fmt.Fprintf(c, "POST /wp-json/calendar/events/v1/tags HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"+
			"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", length)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := bufio.NewReader(c).ReadString('\n'); strings.TrimSpace(got) != want || err != nil {
			t.Errorf("%d bytes: %q, %v; want %s", length, got, err, want)
		}
	}
}
