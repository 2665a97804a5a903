package proxy

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/lane"
)

// TestHeldResponseIsComplete: a connection holds the beginning of a response back until as many bytes
// follow as its header, in its final form, and its body have. With a header that gets shorter
// afterwards, as a tester's may, it would wait for bytes that never come.
func TestHeldResponseIsComplete(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ConnContext: lane.ConnContext, ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()["X-Long"] = []string{strings.Repeat("x", 100)}
			res := exchange{request: r, out: recorder{ResponseWriter: w, beforeHeader: func() { w.Header().Del("X-Long") }}}
			res.writeBody(http.StatusOK, []byte("{}"))
		})}
	go func() { _ = server.Serve(lane.Cork(l, nil)) }()
	t.Cleanup(func() { _ = server.Close() })
	client := http.Client{Timeout: 20 * time.Second}
	t.Cleanup(client.CloseIdleConnections)
	res, err := client.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "{}" || res.Header["X-Long"] != nil {
		t.Errorf("%v, %s, %v", err, body, res.Header)
	}
}
