//go:build !race

package serving_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestHalfClosed sends requests on connections whose clients close their half at once and
// wait for the answer, while the site has not answered yet.
func TestHalfClosed(t *testing.T) {
	binary := processtest.Build(t)
	arrived := make(chan bool)
	release := make(chan bool, 1)
	site := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Header.Get("Authorization") != "" {
			arrived <- true
			select {
			case <-release:
			case <-r.Context().Done():
				t.Errorf("%s %s was cancelled", r.Method, r.URL)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
		}
		proxytest.WriteItem(w, `{"id":12}`)
	}))
	for _, lane := range []bool{true, false} {
		p := processtest.StartServe(t, binary, site, fmt.Sprintf("lane: %v\nupstream: {timeout: 25s}", lane))
		base, err := url.Parse(p.Base)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			method, path, body string
			want               int
		}{
			{"GET", "/events/12", "", 200},
			{"HEAD", "/events/12", "", 200},
			{"POST", "/tags", `{"name":"new"}`, 201},
		} {
			t.Run(fmt.Sprintf("lane=%v/%s", lane, test.method), func(t *testing.T) {
				c := processtest.Dial(t, base.Host)
				_, _ = fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Basic dTpw\r\nContent-Type: application/"+
					"json\r\nContent-Length: %d\r\n\r\n%s",
					test.method, base.Path+test.path, len(test.body), test.body)
				<-arrived
				if err := c.(*net.TCPConn).CloseWrite(); err != nil {
					t.Fatal(err)
				}
				for range 20 { // meanwhile the process sees the end
					p.Get("/events/12")
				}
				release <- true
				res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: test.method})
				if err != nil {
					t.Fatalf("no answer: %v", err)
				}
				defer res.Body.Close()
				if body, err := io.ReadAll(res.Body); res.StatusCode != test.want || err != nil {
					t.Errorf("%s %q %v", res.Status, body, err)
				}
			})
		}
	}
}
