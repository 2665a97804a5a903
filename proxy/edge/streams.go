package edge

import (
	"net/http"
	"sync/atomic"
)

// LimitStreams bounds the requests in progress over HTTP/2 as [LimitConnections] bounds connections:
// a connection may have hundreds, of which each one whose response nobody reads holds as much memory as
// a connection of HTTP/1.1. A request beyond a limit is refused without a body, which nobody has to read.
func LimitStreams(h http.Handler, limits ConnectionLimits) http.Handler {
	limits = limits.withDefaults()
	var all atomic.Int64
	var open perClient
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor < 2 {
			h.ServeHTTP(w, r)
			return
		}
		from := limits.client(r.RemoteAddr)
		defer all.Add(-1)
		if n := all.Add(1); limits.All > 0 && n > int64(limits.All) || !open.enter(from, limits.Client) {
			limits.Metrics.RefuseConnection()
			w.Header()["Retry-After"] = []string{"1"}
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer open.leave(from)
		h.ServeHTTP(w, r)
	})
}
