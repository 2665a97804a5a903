package edge

import (
	"net/http"
	"sync/atomic"
)

// LimitStreams bounds the requests in progress over HTTP/2 as [LimitConnections] bounds connections:
// a connection may have hundreds, of which each one whose response nobody reads holds as much memory as
// a connection of HTTP/1.1. A request beyond a limit is refused without a body, which nobody has to read.
//
// net/http sends a short response only after the handler has returned, and waits then until the client
// takes it. Flushing makes the handler wait, so that the request counts, but costs a system call: one
// response of flushEach is flushed, and each one while its client has more than flushAbove in progress.
func LimitStreams(h http.Handler, limits ConnectionLimits) http.Handler {
	limits = limits.withDefaults()
	var all, begun atomic.Int64
	var open perClient
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor < 2 {
			h.ServeHTTP(w, r)
			return
		}
		from := limits.client(r.RemoteAddr)
		defer all.Add(-1)
		if n := all.Add(1); limits.All > 0 && n > int64(limits.All) {
			refuseStream(w, limits)
			return
		}
		own, ok := open.enter(from, limits.Client)
		if !ok {
			refuseStream(w, limits)
			return
		}
		defer open.leave(from)
		h.ServeHTTP(w, r)
		if own > flushAbove || begun.Add(1)%flushEach == 0 {
			_ = http.NewResponseController(w).Flush() // fails if the client is gone
		}
	})
}

const (
	flushEach  = 16
	flushAbove = 8
)

func refuseStream(w http.ResponseWriter, limits ConnectionLimits) {
	limits.Metrics.RefuseConnection()
	w.Header()["Retry-After"] = []string{"1"}
	w.WriteHeader(http.StatusServiceUnavailable)
}
