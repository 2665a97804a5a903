package proxy_test

import "testing"

// TestRenewTokenIsItsOwn: without a renew token nothing is accepted, not even the admin
// token, and nothing is checked.
func TestRenewTokenIsItsOwn(t *testing.T) {
	f := newCachedFacade(t, nil)
	f.want("GET /events/5", "200 fwd=uri-miss; stored calls 1")
	for range 20 {
		f.want("GET /events/5", "200 hit calls 0", "X-Calfacade-Token: "+adminToken, "Cache-Control: no-cache")
	}
}
