//go:build !race

package limits_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// clientAt returns a client that connects from an address of this machine.
func clientAt(t *testing.T, address string) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 200}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// get returns the status and the header; 0 without a response.
func get(ctx context.Context, c *http.Client, url string, change ...func(*http.Request)) (int, http.Header) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		panic(err)
	}
	for _, f := range change {
		f(r)
	}
	res, err := c.Do(r)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode, res.Header
}

// TestOneClient has a client with 150 connections ask for items that the site takes for ever to
// answer, at the default configuration, and another one read all the same.
func TestOneClient(t *testing.T) {
	binary := processtest.Build(t)
	attacks := make(chan bool, 10_000)
	site := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("search") {
			attacks <- true
			<-r.Context().Done()
			return
		}
		anItem("x")(w, r)
	}))
	p := processtest.StartServe(t, binary, site, "")
	attacker := clientAt(t, "127.0.0.1")
	reader := clientAt(t, "127.0.0.2")
	ctx, stop := context.WithCancel(t.Context())
	var attack sync.WaitGroup
	defer attack.Wait()
	defer stop()
	for c := range 150 {
		attack.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				get(ctx, attacker, fmt.Sprintf("%s/events?search=%d-%d", p.Base, c, n))
			}
		})
	}
	for range config.Default().Upstream.MaxConcurrent * 3 / 4 { // the bound of one client
		<-attacks
	}
	var reads sync.WaitGroup
	for i := range 100 {
		reads.Go(func() {
			if status, _ := get(t.Context(), reader, fmt.Sprintf("%s/events/%d", p.Base, 1000+i)); status != http.StatusOK {
				t.Errorf("a cold read: %d", status)
			}
		})
		if i%10 == 9 {
			reads.Wait()
		}
	}
	if status, header := get(t.Context(), reader, p.Base+"/events/1000"); status != http.StatusOK ||
		!strings.Contains(header.Get("Cache-Status"), "; hit") {
		t.Errorf("a hit: %d %v", status, header)
	}
}

// TestClientConnections: connections of one address beyond its bound are closed, and
// another address is served.
func TestClientConnections(t *testing.T) {
	binary := processtest.Build(t)
	p := processtest.StartServe(t, binary, processtest.Serve(t, anItem("x")), "limits: {max_client_connections: 3}")
	address := strings.TrimPrefix(strings.TrimSuffix(p.Base, "/wp-json/calendar/events/v1"), "http://")
	for i := range 4 {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if i == 3 && errors.Is(err, syscall.ECONNRESET) {
			break // closed before the dial returned
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if i < 3 {
			continue
		}
		if err := c.SetReadDeadline(time.Now().Add(processtest.Patience)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 1)); err == nil || err.(net.Error).Timeout() {
			t.Errorf("the fourth: %v", err)
		}
	}
	if status, _ := get(t.Context(), clientAt(t, "127.0.0.2"), p.Base+"/events/12"); status != http.StatusOK {
		t.Errorf("another address: %d", status)
	}
	if status, _ := get(t.Context(), clientAt(t, "127.0.0.1"), p.Base+"/events/12"); status != 0 {
		t.Errorf("the address: %d", status)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Admin+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, body := processtest.Send(t, r); strings.Contains(string(body), "calfacade_connections_refused_total 0\n") {
		t.Error("no connection was counted as refused")
	}
}

// TestGuesses: wrong secrets of the public listener lock nothing of the admin listener, which counts its
// own, and which reveals nothing to a page whose host name resolves to it.
func TestGuesses(t *testing.T) {
	binary := processtest.Build(t)
	site := processtest.Serve(t, processtest.Text(proxytest.Marked(`{"id":12}`)))
	p := processtest.StartServe(t, binary, site, "admin: {token: 0123456789abcdef}\n"+
		"backends: [{name: new, dialect: calendar/events/v1, upstreams: {en: \""+site+
		"/new\"}}]\nstaging: {candidate: new, tester_token: fedcba9876543210}")
	attacker := clientAt(t, "127.0.0.1")
	neighbour := clientAt(t, "127.0.0.2")
	test := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("X-Calfacade-Tester", token) }
	}
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer 0123456789abcdef") }
	for n, refused := 0, false; !refused; n++ { // one more is admitted every six seconds
		status, header := get(t.Context(), attacker, p.Base+"/events/12", test("0123456789abcdef"))
		refused = status == http.StatusTooManyRequests
		if !refused && status != http.StatusForbidden || refused != (header.Get("Retry-After") != "") || refused && n < 10 || n == 100 {
			t.Fatalf("guess %d: %d %v", n, status, header)
		}
	}
	wrong := func(r *http.Request) { r.Header.Set("Authorization", "Bearer fedcba9876543210") }
	for _, path := range []string{"/staging", "/status/"} {
		if status, _ := get(t.Context(), attacker, p.Admin+path, bearer); status == http.StatusTooManyRequests {
			t.Errorf("%s after guesses at the public listener: %d", path, status)
		}
	}
	for range 30 {
		_, _ = get(t.Context(), attacker, p.Admin+"/staging", wrong)
	}
	for client, want := range map[*http.Client]bool{attacker: true, neighbour: false} {
		if status, _ := get(t.Context(), client, p.Admin+"/staging", bearer); (status == http.StatusTooManyRequests) != want {
			t.Errorf("after guesses: %d, refused %t", status, want)
		}
	}
	if status, header := get(t.Context(), neighbour, p.Base+"/events/12", test("fedcba9876543210")); status != http.StatusOK ||
		header.Get("Server-Timing") != "backend;desc=new" {
		t.Errorf("testing: %d %v", status, header)
	}
	p.Expect(`"msg":"wrong secret","place":"tester"`)
	for _, path := range []string{"/metrics", "/livez", "/readyz"} {
		if status, _ := get(t.Context(), neighbour, p.Admin+path,
			func(r *http.Request) { r.Host = "evil.example" }); status != http.StatusForbidden {
			t.Errorf("%s by a foreign name: %d", path, status)
		}
		if status, _ := get(t.Context(), neighbour, p.Admin+path); status != http.StatusOK {
			t.Errorf("%s by its address: %d", path, status)
		}
	}
}
