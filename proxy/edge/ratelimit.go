package edge

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/problem"
)

// QuotaForm describes the text of a [Quota].
const QuotaForm = "a quota such as 600/1m: 1 to 1000000 requests in 1s to 24h"

// Quota limits a client to Requests at once, and as many again evenly over Window. The text of a Quota is
// 600/1m or 600/m. The zero value, an empty text, disables the limit.
type Quota struct {
	Requests int
	Window   time.Duration
}

// UnmarshalText implements [encoding.TextUnmarshaler]. The error quotes the text.
func (q *Quota) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*q = Quota{}
		return nil
	}
	number, window, _ := strings.Cut(string(text), "/")
	if window != "" && window[0] >= 'a' {
		window = "1" + window // 600/m
	}
	n, err := strconv.Atoi(number)
	d, badWindow := time.ParseDuration(window)
	if err != nil || badWindow != nil || n < 1 || n > 1_000_000 || d < time.Second || d > 24*time.Hour {
		return fmt.Errorf("%q is not "+QuotaForm, text)
	}
	*q = Quota{Requests: n, Window: d}
	return nil
}

// MarshalText implements [encoding.TextMarshaler].
func (q Quota) MarshalText() ([]byte, error) {
	if q.Requests == 0 {
		return nil, nil
	}
	return fmt.Appendf(nil, "%d/%s", q.Requests, q.Window), nil
}

// interval is the time after which a client may send one request more.
func (q Quota) interval() time.Duration { return max(1, q.Window/time.Duration(q.Requests)) }

// SharedQuota counts for all instances, as [redisstore.Store] does.
type SharedQuota interface {
	// Take takes a token from the bucket of key, which holds burst tokens and gains one
	// every interval. Take does not wait: an unknown count is an error.
	Take(ctx context.Context, key string, interval time.Duration, burst int) (redisstore.Allowance, error)
}

// The fields of draft-ietf-httpapi-ratelimit-headers.
const (
	rateField   = "RateLimit"
	policyField = "RateLimit-Policy"
)

// limiter applies a quota to each client.
type limiter struct {
	name        string
	quota       Quota
	policy      []string
	statePrefix string // the beginning of the field RateLimit
	clients     *otter.Cache[netip.Addr, *rate.Limiter]
	shared      SharedQuota // nil: this instance counts alone
}

// limitedClients is the number of clients that are remembered for each quota.
const limitedClients = 100_000

func newLimiter(name string, q Quota, shared SharedQuota, clients int) *limiter {
	if q.Requests == 0 {
		return nil
	}
	return &limiter{
		name:        name,
		quota:       q,
		policy:      []string{fmt.Sprintf(`"%s";q=%d;w=%d`, name, q.Requests, problem.Seconds(q.Window))},
		statePrefix: `"` + name + `";r=`,
		clients:     otter.Must(&otter.Options[netip.Addr, *rate.Limiter]{MaximumSize: clients}),
		shared:      shared,
	}
}

// take counts in this instance first: a request that is too much for one is too much for all, and a
// flood does not reach the shared count. Where that is not available, the count of this
// instance decides. tookToken reports whether this instance took a token.
func (l *limiter) take(ctx context.Context, client netip.Addr, now time.Time) (a redisstore.Allowance, tookToken bool) {
	local := l.takeHere(client, now)
	if l.shared == nil || local.Wait > 0 {
		return local, local.Wait == 0
	}
	common, err := l.shared.Take(ctx, l.name+" "+client.String(), l.quota.interval(), l.quota.Requests)
	if err != nil {
		return local, true
	}
	return common, true
}

// wait returns how long a client has to wait for a token here; 0 if a token is available.
func (l *limiter) wait(client netip.Addr, now time.Time) time.Duration {
	return l.waitFor(l.bucket(client).TokensAt(now))
}

// waitFor returns the time until tokens are one.
func (l *limiter) waitFor(tokens float64) time.Duration {
	if tokens >= 1 {
		return 0
	}
	return max(1, time.Duration((1-tokens)*float64(l.quota.interval())))
}

// bucket returns the tokens of a client.
func (l *limiter) bucket(client netip.Addr) *rate.Limiter {
	bucket, ok := l.clients.GetIfPresent(client)
	if !ok {
		bucket, _ = l.clients.SetIfAbsent(client, rate.NewLimiter(rate.Every(l.quota.interval()), l.quota.Requests))
	}
	return bucket
}

func (l *limiter) takeHere(client netip.Addr, now time.Time) redisstore.Allowance {
	bucket := l.bucket(client)
	allowed := bucket.AllowN(now, 1)
	tokens := bucket.TokensAt(now)
	interval := float64(l.quota.interval())
	a := redisstore.Allowance{Left: int(max(0, tokens)), Full: time.Duration((float64(l.quota.Requests) - tokens) * interval)}
	if !allowed {
		a.Wait = l.waitFor(tokens)
	}
	return a
}

// state returns the value of the field RateLimit.
func (l *limiter) state(a redisstore.Allowance) string {
	b := strconv.AppendInt(append(make([]byte, 0, 32), l.statePrefix...), int64(a.Left), 10)
	return string(strconv.AppendInt(append(b, ";t="...), int64(problem.Seconds(a.Full)), 10))
}
