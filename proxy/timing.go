package proxy

import (
	"fmt"
	"time"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

// setServerTiming sets Server-Timing: the cache outcome, the time of calls to the site, and
// the time until the header is sent.
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
