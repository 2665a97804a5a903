//go:build !race

package limits_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestSlowClients: a client that is too slow, or sends too large a header, is cut off,
// at each step of a request.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	site := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := "x"
		if strings.HasSuffix(r.URL.Path, "/2") {
			text = strings.Repeat("x", 16<<20) // more than the buffers on the way take
		}
		anItem(text)(w, r)
	}))
	p := processtest.StartServe(t, binary, site, `
limits: {idle_timeout: 5s}
upstream: {timeout: 5s}`)
	base, err := url.Parse(p.Base)
	if err != nil {
		t.Fatal(err)
	}
	get := "GET " + base.Path + "/events/1 HTTP/1.1\r\nHost: x\r\n"
	reading := processtest.Dial(t, base.Host) // it is cut off last, while the others are
	if err := reading.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(reading, strings.Replace(get, "/events/1", "/events/2", 1)+"\r\n")
	if _, err := bufio.NewReader(reading).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	t.Run("connections", func(t *testing.T) {
		for _, test := range []struct{ name, head, want string }{
			{"in the header", get, ""},
			{"in the body", "POST " + base.Path + "/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
				"100\r\n\r\n{", "HTTP/1.1 400 "},
			{"after an answer", get + "\r\n", "HTTP/1.1 200 "},
			{"a large header", get + "X: " + strings.Repeat("x", 128<<10) + "\r\n\r\n", "HTTP/1.1 431 "},
		} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				c := processtest.Dial(t, base.Host)
				_, _ = io.WriteString(c, test.head) // it may be cut off already
				got, err := io.ReadAll(c)           // ends when the facade closes the connection
				if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
					t.Error("the connection stays open")
				}
				if !strings.HasPrefix(string(got), test.want) {
					t.Errorf("got %.100q, want %q", got, test.want)
				}
			})
		}
	})
	p.Expect(`"path":"[^"]*/events/2".*"client_gone":true`)
}
