//go:build !race

package serving_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestSwitching: a site that answers with 101 and leaves the connection open holds no slot.
func TestSwitching(t *testing.T) {
	binary := processtest.Build(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			go func() {
				if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
				}
			}()
		}
	}()
	p := processtest.StartServe(t, binary, "http://"+l.Addr().String(), "")
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		if res := readAs(p, method, "/events/12"); res.StatusCode != http.StatusBadGateway {
			t.Errorf("%s: %s", method, res.Status)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Admin+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, body := processtest.Send(t, r); !strings.Contains(string(body), "calfacade_upstream_in_flight{root=\"en\"} 0\n") {
		t.Error("calls are still under way")
	}
}
