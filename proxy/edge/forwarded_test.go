package edge_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/calfacade/calfacade/proxy/edge"
)

// TestClientAddress: the client is the address of the connection, or the one that trusted
// proxies name.
func TestClientAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, test := range []struct {
		name, peer, field string
		values            []string
		want              string
	}{
		{"no proxy", "203.0.113.9:1", "", nil, "203.0.113.9"},
		{"spoofed", "203.0.113.9:1", "X-Forwarded-For", []string{"198.51.100.7"}, "203.0.113.9"},
		{"spoofed as a proxy", "203.0.113.9:1", "X-Forwarded-For", []string{"10.0.0.1"}, "203.0.113.9"},
		{"behind a proxy", "10.0.0.1:1", "X-Forwarded-For", []string{"198.51.100.7"}, "198.51.100.7"},
		{"spoofed before a proxy", "10.0.0.1:1", "X-Forwarded-For", []string{"1.1.1.1, 10.0.0.9, 198.51.100.7"}, "198.51.100.7"},
		{"spoofed in a line before", "10.0.0.1:1", "X-Forwarded-For", []string{"1.1.1.1", "198.51.100.7"}, "198.51.100.7"},
		{"two proxies", "10.0.0.1:1", "X-Forwarded-For", []string{"1.1.1.1, 198.51.100.7 ,10.0.0.2"}, "198.51.100.7"},
		{"inside", "10.0.0.1:1", "X-Forwarded-For", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"no field", "10.0.0.1:1", "X-Forwarded-For", nil, "10.0.0.1"},
		{"not an address", "10.0.0.1:1", "X-Forwarded-For", []string{"198.51.100.7, ann, 10.0.0.2"}, "10.0.0.2"},
		{"empty", "10.0.0.1:1", "X-Forwarded-For", []string{""}, "10.0.0.1"},
		{"with port", "10.0.0.1:1", "X-Forwarded-For", []string{"198.51.100.7:4711"}, "198.51.100.7"},
		{"IPv6", "[fd00::1]:1", "X-Forwarded-For", []string{"2001:db8::7"}, "2001:db8::7"},
		{"IPv4 in IPv6", "[::ffff:10.0.0.1]:1", "X-Forwarded-For", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		{"the other field", "10.0.0.1:1", "Forwarded", []string{"for=198.51.100.7"}, "10.0.0.1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkClient(t, edge.Trust{Proxies: proxies}, test.peer, test.field, test.values, test.want)
		})
	}
}

func checkClient(t *testing.T, trust edge.Trust, peer, field string, values []string, want string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/wp-json/calendar/events/v1", nil)
	r.RemoteAddr = peer
	if field != "" {
		r.Header[field] = values
	}
	if got := trust.Name(r); got != want {
		t.Errorf("%s %s %q: client %v, want %s", peer, field, values, got, want)
	}
}
