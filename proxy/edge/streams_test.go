package edge_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/proxy/edge"
)

// TestRequestsInFlightAreBounded: requests in progress over HTTP/2 are bounded by client and in all,
// however many connections they come by; those over HTTP/1.1 are bounded by their connections.
func TestRequestsInFlightAreBounded(t *testing.T) {
	var refused atomic.Uint64
	for _, c := range []struct {
		name   string
		limits edge.ConnectionLimits
		http1  bool
		want   int // admitted, of 40
	}{
		{"by client", edge.ConnectionLimits{All: 30, Client: 10, Refused: &refused}, false, 10},
		{"in all", edge.ConnectionLimits{All: 30, Client: 10, Refused: &refused, Exempt: func(netip.Addr) bool { return true }}, false, 30},
		{"unlimited", edge.ConnectionLimits{}, false, 40},
		{"HTTP/1.1", edge.ConnectionLimits{All: 30, Client: 10, Refused: &refused}, true, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			const connections, requests = 2, 20
			release := make(chan struct{})
			server := httptest.NewUnstartedServer(edge.LimitStreams(http.HandlerFunc(func(http.ResponseWriter,
				*http.Request) {
				<-release
			}), c.limits))
			server.EnableHTTP2 = !c.http1
			server.StartTLS()
			defer server.Close()
			statuses := make(chan int, connections*requests)
			var group sync.WaitGroup
			for range connections {
				client := &http.Client{Transport: server.Client().Transport.(*http.Transport).Clone()}
				for range requests {
					group.Go(func() {
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
			group.Wait()
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

// TestShortResponsesAreBounded: responses that net/http sends after the handler has returned count too,
// once a client has several that it does not read.
func TestShortResponsesAreBounded(t *testing.T) {
	const short = "not read"
	server := httptest.NewUnstartedServer(edge.LimitStreams(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(short)))
		_, _ = io.WriteString(w, short)
	}), edge.ConnectionLimits{Client: 20, Refused: new(atomic.Uint64)}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	got := map[int]int{}
	var transports []*http.Transport
	for range 4 {
		transport := server.Client().Transport.(*http.Transport).Clone()
		transport.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 1}
		transports = append(transports, transport)
	}
	for n := range 200 {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		request.RequestURI = ""
		response, err := transports[n%4].RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		got[response.StatusCode]++
	}
	// Of the first 128 responses 8 are flushed; then all are, 12 more.
	if want := map[int]int{http.StatusOK: 140, http.StatusServiceUnavailable: 60}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
