package proxy

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
)

// Quota is how often a client may ask: Requests at once, and as many again evenly
// over Window.
type Quota struct {
	Requests int
	Window   time.Duration
}

func (q Quota) limits() bool { return q.Requests > 0 }

// every is the time in which one request is given back.
func (q Quota) every() time.Duration { return max(1, q.Window/time.Duration(q.Requests)) }

// SharedQuota counts for all copies. It is a [redisstore.Store].
type SharedQuota interface {
	// Take takes one of burst requests from what key has, where one is given back
	// every so often. An error says that it cannot tell; it comes at once.
	Take(ctx context.Context, key string, every time.Duration, burst int) (redisstore.Allowance, error)
}

// The fields of draft-ietf-httpapi-ratelimit-headers.
const (
	rateField   = "RateLimit"
	policyField = "RateLimit-Policy"
)

// limiter holds each client to a quota.
type limiter struct {
	name    string
	quota   Quota
	policy  []string
	clients *otter.Cache[netip.Addr, *rate.Limiter]
	shared  SharedQuota // nil: this copy counts alone
}

func newLimiter(name string, q Quota, o EdgeOptions) *limiter {
	if !q.limits() {
		return nil
	}
	if o.Clients == 0 {
		o.Clients = 100_000
	}
	return &limiter{
		name:    name,
		quota:   q,
		policy:  []string{fmt.Sprintf(`"%s";q=%d;w=%d`, name, q.Requests, roundUp(q.Window))},
		clients: otter.Must(&otter.Options[netip.Addr, *rate.Limiter]{MaximumSize: o.Clients}),
		shared:  o.Shared,
	}
}

// limit counts a request, says so in the answer, and refuses one too many.
func (f *Facade) limit(x *exchange, l *limiter) error {
	got := l.take(x.in.Context(), f.edge.trust.Client(x.in), f.options.Clock())
	out := x.out.Header()
	out[policyField] = l.policy
	out[rateField] = []string{l.state(got)}
	if got.Wait == 0 {
		return nil
	}
	f.speak(x)
	return &problem.Error{
		Status: http.StatusTooManyRequests,
		Code:   "calendar_rate_limited",
		Header: problem.RetryAfter(got.Wait),
	}
}

// take asks this copy first: what is too much for one copy is too much for all,
// and a flood does not reach what is shared. Without it this copy's word counts,
// which knows what the client did here.
func (l *limiter) take(ctx context.Context, holder netip.Addr, now time.Time) redisstore.Allowance {
	own := l.own(holder, now)
	if l.shared == nil || own.Wait > 0 {
		return own
	}
	all, err := l.shared.Take(ctx, l.name+" "+holder.String(), l.quota.every(), l.quota.Requests)
	if err != nil {
		return own
	}
	return all
}

func (l *limiter) own(holder netip.Addr, now time.Time) redisstore.Allowance {
	bucket, known := l.clients.GetIfPresent(holder)
	if !known {
		bucket, _ = l.clients.SetIfAbsent(holder, rate.NewLimiter(rate.Every(l.quota.every()), l.quota.Requests))
	}
	allowed := bucket.AllowN(now, 1)
	left, every := bucket.TokensAt(now), float64(l.quota.every())
	a := redisstore.Allowance{Left: int(max(0, left)), Full: time.Duration((float64(l.quota.Requests) - left) * every)}
	if !allowed {
		a.Wait = max(1, time.Duration((1-left)*every))
	}
	return a
}

func (l *limiter) state(a redisstore.Allowance) string {
	b := make([]byte, 0, 32)
	b = append(b, '"')
	b = append(b, l.name...)
	b = append(b, `";r=`...)
	b = strconv.AppendInt(b, int64(a.Left), 10)
	b = append(b, ";t="...)
	b = strconv.AppendInt(b, int64(roundUp(a.Full)), 10)
	return string(b)
}

// speak has a refusal before routing speak the language of the request.
func (f *Facade) speak(x *exchange) {
	query, err := mapping.DecodeQuery(x.in.URL.RawQuery)
	if err != nil {
		query = mapping.Query{}
	}
	in := mapping.Input{Query: query}
	x.setTarget(&target{choice: f.options.Site.Choose(f.options.Site.RootOf(x.in.URL.EscapedPath()), in.Language())})
}

// roundUp gives whole seconds, so that whoever waits for them has waited enough.
func roundUp(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
