package edge_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"

	"github.com/calfacade/calfacade/proxy/edge"
)

// TestRequestsInFlightAreBounded: requests in progress over HTTP/2 are bounded by client and in all,
// however many connections they come by; those over HTTP/1.1 are bounded by their connections.
func TestRequestsInFlightAreBounded(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits edge.ConnectionLimits
		http1  bool
		want   int // admitted, of 40
	}{
		{"by client", edge.ConnectionLimits{All: 30, Client: 10}, false, 10},
		{"in all", edge.ConnectionLimits{All: 30, Client: 10, Exempt: func(netip.Addr) bool { return true }}, false, 30},
		{"unlimited", edge.ConnectionLimits{}, false, 40},
		{"HTTP/1.1", edge.ConnectionLimits{All: 30, Client: 10}, true, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			const connections, requests = 2, 20
			release := make(chan struct{})
			server := httptest.NewUnstartedServer(edge.LimitStreams(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }), c.limits))
			server.EnableHTTP2 = !c.http1
			server.StartTLS()
			defer server.Close()
			statuses := make(chan int, connections*requests)
			var all sync.WaitGroup
			for range connections {
				client := &http.Client{Transport: server.Client().Transport.(*http.Transport).Clone()}
				for range requests {
					all.Go(func() {
						response, err := client.Get(server.URL)
						if err != nil {
							t.Error(err)
							return
						}
						_ = response.Body.Close()
						if response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "1" {
							t.Error("refused without Retry-After")
						}
						statuses <- response.StatusCode
					})
				}
			}
			for range connections*requests - c.want { // those that are refused end at once
				if got := <-statuses; got != http.StatusServiceUnavailable {
					t.Errorf("status %d, before any may end", got)
				}
			}
			close(release)
			all.Wait()
			close(statuses)
			admitted := 0
			for status := range statuses {
				if status == http.StatusOK {
					admitted++
				}
			}
			if admitted != c.want {
				t.Errorf("%d admitted, want %d", admitted, c.want)
			}
		})
	}
}
