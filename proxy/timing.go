package proxy

import (
	"context"
	"fmt"
	"time"
)

// tellTiming sets Server-Timing: where the answer came from, what calls on the
// site took, and the time until the header went.
func (x *exchange) tellTiming(now time.Time) {
	s := ""
	if x.outcome != noCache {
		s = "cache;desc=" + x.outcome.String() + ", "
	}
	if x.upstream.calls > 0 {
		s += fmt.Sprintf("upstream;dur=%.3f, ", milliseconds(x.upstream.took))
	}
	x.out.Header()["Server-Timing"] = []string{s + fmt.Sprintf("total;dur=%.3f", milliseconds(now.Sub(x.started)))}
}

type idKey struct{}

// withID has calls on the legacy made with ctx bear a request's id, so that its
// log and this one's can be read together. Answers do not depend on it.
func withID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, idKey{}, id)
}

// idOf gives the id; "" without one.
func idOf(ctx context.Context) string {
	id, _ := ctx.Value(idKey{}).(string)
	return id
}

// context is that of calls for this request alone.
func (x *exchange) context() context.Context { return withID(x.in.Context(), x.id) }
