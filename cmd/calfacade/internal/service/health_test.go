package service

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// TestHealthPaths: with the key the public listener answers a load balancer as the admin listener
// does, also HAProxy's own check; without it these are paths like any other.
func TestHealthPaths(t *testing.T) {
	for _, test := range []struct{ request, off, enabled, draining string }{
		{"GET /livez HTTP/1.1", "404", "200 ok", "200 ok"},
		{"HEAD /livez HTTP/1.0", "404", "200", "200"},
		{"GET /readyz HTTP/1.1", "404", "200 ok", "503 draining"},
		{"HEAD /readyz HTTP/1.1", "404", "200", "503"},
		{"OPTIONS / HTTP/1.0", "405", "200 ok", "503 draining"},
		{"OPTIONS / HTTP/1.1", "405", "405", "405"},
		{"OPTIONS /?a HTTP/1.0", "405", "405", "405"},
		{"POST /readyz HTTP/1.1", "404", "404", "404"},
		{"GET /metrics HTTP/1.1", "404", "404", "404"},
		{"GET / HTTP/1.0", "200", "200", "200"},
	} {
		for _, enabled := range []bool{false, true} {
			c := processtest.MinimalConfig(t)
			c.HealthPaths = enabled
			s, err := New(c, Options{Log: zap.NewNop(), Metrics: telemetry.NewMetrics("")})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close(t.Context()) }()
			ask := func() (got string) {
				r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(test.request + "\r\n\r\n")))
				if err != nil {
					t.Fatal(err)
				}
				w := httptest.NewRecorder()
				s.Public(w, r)
				got = strconv.Itoa(w.Code)
				if w.Header().Get("X-Request-Id") == "" && r.Method != http.MethodHead {
					got += " " + strings.TrimSpace(w.Body.String())
				}
				return got
			}
			want := test.off
			drained := test.off
			if enabled {
				want = test.enabled
				drained = test.draining
			}
			if got := ask(); got != want {
				t.Errorf("%t: %s: got %s, want %s", enabled, test.request, got, want)
			}
			s.Drain()
			if got := ask(); got != drained {
				t.Errorf("%t, draining: %s: got %s, want %s", enabled, test.request, got, drained)
			}
		}
	}
}
