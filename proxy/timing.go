package proxy

import (
	"fmt"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"time"
)

// setServerTiming sets Server-Timing: where the answer came from, what calls on the
// site took, and the time until the header went.
func (x *exchange) setServerTiming(now time.Time) {
	s := ""
	if x.outcome != telemetry.NoCache {
		s = "cache;desc=" + x.outcome.String() + ", "
	}
	if x.upstream.calls > 0 {
		s += fmt.Sprintf("upstream;dur=%.3f, ", milliseconds(x.upstream.took))
	}
	x.out.Header()["Server-Timing"] = []string{s + fmt.Sprintf("total;dur=%.3f", milliseconds(now.Sub(x.started)))}
}
