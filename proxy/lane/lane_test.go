package lane_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/google/go-cmp/cmp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.uber.org/zap"
)

// TestLaneIsLikeNetHTTP plays the same clients to a server with the lane and to one
// without: every byte they get, every record and every count is the same.
func TestLaneIsLikeNetHTTP(t *testing.T) {
	for i, setting := range []struct {
		name   string
		change func(*proxy.Options, *http.Server)
		least  int // of 100 conversations so many requests at least are the lane's
	}{
		{"as it is", nil, 70},
		{"cookies, some origins, no log", func(o *proxy.Options, _ *http.Server) {
			o.Cookies = true
			o.Edge.CORS.Origins = []string{"https://a.example"}
			o.Requests = "none"
			o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			o.Edge.HSTS = time.Hour
		}, 60},
		{"trusted proxies, HSTS and a cache in front", func(o *proxy.Options, _ *http.Server) {
			o.Surrogate = freshness.Surrogate{Tags: freshness.CacheTag, Lifetime: freshness.AccelExpires, SMaxAge: freshness.Unlimited}
			o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			o.Edge.HSTS = time.Hour
			o.Edge.CORS.Origins = nil
		}, 70},
		{"limited", func(o *proxy.Options, _ *http.Server) {
			o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			o.Edge.Reads = edge.Quota{Requests: 1300, Window: time.Hour}
		}, 30},
		{"limited by all instances", func(o *proxy.Options, _ *http.Server) {
			o.Edge.Reads = edge.Quota{Requests: 1300, Window: time.Hour}
			o.Edge.Shared = &fleetQuota{}
		}, 30},
		{"traced by clients", func(o *proxy.Options, _ *http.Server) { o.Tracer = recordSpans(sdk.ParentBased(sdk.NeverSample())) }, 70},
		{"traced always", func(o *proxy.Options, _ *http.Server) { o.Tracer = recordSpans(sdk.AlwaysSample()) }, 70},
		{"candidate, testers, cookies", func(o *proxy.Options, _ *http.Server) {
			stage(o, append(halfOf(staging.Clients),
				staging.Rule{Selection: staging.Selection{Languages: []string{"es"}}, Setting: staging.Setting{State: staging.Shadow}},
				staging.Rule{Selection: staging.Selection{Resources: []string{"venues"}},
					Setting: staging.Setting{State: staging.NewWithFallback}})...)
			o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			o.Cookies = true
			facadetest.StagingOf(o).TesterToken, facadetest.StagingOf(o).Comparer = facadetest.TesterToken, nil
			now := facadetest.Start // conversations run at once, so no wrong token may count for the next one
			o.Secrets = edge.NewSecrets(zap.NewNop(), func() time.Time {
				now = now.Add(time.Minute)
				return now
			})
		}, 60},
	} {
		t.Run(setting.name, func(t *testing.T) {
			t.Parallel()
			sample := conversations(t)
			site := facadetest.NewLaneSite(t)
			fast := facadetest.NewLaneSide(t, site, true, setting.change)
			reference := facadetest.NewLaneSide(t, site, false, setting.change)
			fast.Exact = strings.HasPrefix(setting.name, "limited")
			reference.Exact = fast.Exact
			if i > 0 || testing.Short() { // how a connection is cut into requests depends on no setting
				sample = everyThird(sample, i%3)
			}
			got, counted, records, handled := fast.Converse(sample)
			want, wantCounted, wantRecords, requests := reference.Converse(sample)
			for i := range sample {
				if got[i] != want[i] {
					t.Fatalf("to %.2000q\n-without +with:\n%.3000s", []string(sample[i]), cmp.Diff(want[i], got[i]))
				}
			}
			served := requests - handled
			t.Logf("%d conversations, %d requests, %d in the lane", len(sample), requests, served)
			if served < setting.least*len(sample)/100 {
				t.Errorf("%d of the requests of %d conversations were the lane's", served, len(sample))
			}
			if diff := cmp.Diff(wantCounted, counted); diff != "" {
				t.Errorf("counts (-without +with):\n%s", diff)
			}
			if diff := cmp.Diff(wantRecords, records); diff != "" {
				t.Errorf("records (-without +with):\n%.3000s", diff)
			}
			if diff := cmp.Diff(reference.Spans.TakeAll(), fast.Spans.TakeAll()); diff != "" {
				t.Errorf("spans and decisions (-without +with):\n%.3000s", diff)
			}
		})
	}
}

// everyThird returns every third conversation from the one with the number first on.
func everyThird(list []facadetest.Conversation, first int) (third []facadetest.Conversation) {
	for i := first; i < len(list); i += 3 {
		third = append(third, list[i])
	}
	return third
}

const laneEnd = "GET /wp-json/calendar/events/v1/events/5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

// conversations are generated ones and those that are known to fool parsers.
func conversations(t *testing.T) (list []facadetest.Conversation) {
	random := rand.New(rand.NewPCG(1, 2))
	tag := func(target string) string {
		s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), false, nil)
		m := regexp.MustCompile(`Etag: (\S+)`).FindStringSubmatch(s.Send([]string{"GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"}))
		return m[1]
	}(facadetest.LaneTargets[0])
	pick := func(values []string) string { return values[random.IntN(len(values))] }
	request := func() string {
		target := pick(facadetest.LaneTargets)
		if random.IntN(8) == 0 {
			target = pick(oddTargets)
		}
		head := pick([]string{"GET", "GET", "GET", "GET", "HEAD", "HEAD"})
		if random.IntN(20) == 0 {
			head = pick([]string{"OPTIONS", "POST", "PUT", "get", "G@T", "BREW", "CONNECT", "TRACE", ""})
		}
		head += " " + target + " HTTP/1.1\r\n"
		if random.IntN(25) > 0 {
			head += "Host: api.example.org\r\n"
		}
		for range random.IntN(5) {
			head += strings.ReplaceAll(pick(harmless), "TAG", tag) + "\r\n"
		}
		if random.IntN(6) == 0 {
			head += pick(harmful) + "\r\n"
		}
		return head + "\r\n"
	}
	for range 1500 {
		text := ""
		for range 1 + random.IntN(4) {
			text += request()
		}
		list = append(list, cutAtRandom(random, text+laneEnd))
	}
	plain := "GET " + facadetest.LaneTargets[0] + " HTTP/1.1\r\nHost: x\r\n\r\nHEAD " + facadetest.LaneTargets[3] +
		" HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n"
	for i := range plain {
		list = append(list, facadetest.Conversation{plain[:i], plain[i:] + laneEnd}, facadetest.Conversation{plain[:i]},
			facadetest.Conversation{plain[:i] + "\x00" + plain[i:], laneEnd}, facadetest.Conversation{plain[:i] + "\r" + plain[i:], laneEnd},
			facadetest.Conversation{plain[:i] + "\n" + plain[i:], laneEnd}, facadetest.Conversation{plain[:i] + plain[i+1:], laneEnd})
	}
	// net/http's read beside the handler gets the X.
	list = append(list, strings.Split(plain+laneEnd, ""), facadetest.Conversation{facadetest.Leaves, "X", facadetest.Get + laneEnd})
	for _, evil := range smuggled() {
		list = append(list,
			facadetest.Conversation{evil + laneEnd},
			facadetest.Conversation{plain + evil, laneEnd},
			facadetest.Conversation{plain, evil, laneEnd},
			cutAtRandom(random, plain+evil+laneEnd), strings.Split(plain+evil+laneEnd, ""))
	}
	return list
}

// cutAtRandom sends mostly request by request, and else as it comes.
func cutAtRandom(random *rand.Rand, text string) (pieces facadetest.Conversation) {
	switch random.IntN(4) {
	case 0:
		return facadetest.Conversation{text}
	case 1:
		for len(text) > 0 {
			n := 1 + random.IntN(min(len(text), 300))
			pieces = append(pieces, text[:n])
			text = text[n:]
		}
		return pieces
	}
	return strings.SplitAfter(text, "\r\n\r\n")
}

var oddTargets = []string{
	"/", "/nowhere", "*", "http://api.example.org/wp-json/calendar/events/v1/events/5", "/wp-json/calendar/events/v1/events/5#a",
	"/wp-json/calendar/events/v1/events/%", "/wp-json/calendar/events/v1/events/5?page=%zz",
	"/wp-json/calendar/events/v1/events?page=0", "/wp-json/calendar/events/v1/events/x", "/wp-json/calendar/events/v1",
	"/wp-json/calendar/events/v1/events/5 ", "/wp-json/calendar/events/v1/events/\x80", "wp-json", "",
	"/wp-json/calendar/events/v1/events/5?" + strings.Repeat("a", 4100),
}

var harmless = []string{
	"User-Agent: client/1 (a; b)", "Accept: */*", "Accept: application/json", "accept-encoding: gzip",
	"Accept-Encoding: br, gzip;q=0.5", "Accept-Encoding: gzip;q=0", "Accept-Encoding: *", "Accept-Encoding: identity",
	"If-None-Match: TAG", "IF-NONE-MATCH: W/TAG", "If-None-Match: \"a\", TAG", "If-None-Match: *", "If-None-Match: \"other\"",
	"Origin: https://a.example", "Origin: null", "Connection: keep-alive", "Connection: Keep-Alive",
	"Cookie: a=b", "Cookie: wordpress_logged_in_a=b", "X-Forwarded-For: 198.51.100.7", "X-Forwarded-For: 198.51.100.9, 192.0.2.7",
	"X-Forwarded-Proto: https", "X-FORWARDED-PROTO: http", "Forwarded: for=198.51.100.8;proto=https", "Cache-Control: no-cache",
	"Pragma: no-cache", "Range: bytes=0-1",
	"If-Modified-Since: Sat, 21 Nov 2026 10:00:00 GMT", "Accept-Language: es", "X-WP-Nonce: 0a1b2c3d",
	"X-Long: " + strings.Repeat("a", 300), "X-HTTP-Method-Override: DELETE", "Keep-Alive: 5", "Proxy-Connection: close", "X-Empty:",
	"X-Request-Id: 7f3a91c2-5d1e-4b5e-9f27-0c7f0e3d2a11", "x-request-id: aDm1Ww_3k.0-ABC", "X-Request-Id: \"bad\"", "X-Request-Id:",
	"X-Request-Id: " + strings.Repeat("a", 65),
	"traceparent: " + facadetest.Sampled, "Traceparent: " + facadetest.Unsampled,
	"traceparent: " + strings.Replace(facadetest.Sampled, facadetest.ClientTrace, facadetest.ClientTrace[:31]+"7", 1),
	"traceparent: 01" + facadetest.Sampled[2:] + "-more",
	"traceparent: 00-zz", "traceparent:",
	"tracestate: shop=a", "baggage: user=b", ingress, "Content-Type: application/json", "Content-Type: multipart/form-data",
	"Content-Encoding: br", "TE: trailers", "Cookie: theme=dark; wordpress_test_cookie=1", "Cookie:",
	"Cookie: a=b\r\nCookie: c=d", "Cache-Control: max-age=0",
}

var harmful = []string{
	"Content-Length: 0", "Content-Length: 3", "Content-Length: +0", "Content-Length: 0, 0",
	"Content-Length: 0\r\nContent-Length: 0", "Content-Length: 1\r\nContent-Length: 2", "Transfer-Encoding: chunked",
	"Transfer-Encoding: identity",
	"Expect: 100-continue", "Expect: x", "Upgrade: h2c", "Connection: close", "Connection: upgrade",
	"Connection: keep-alive, close", "Authorization:", "X-WP-Nonce:",
	"Host: other", "Host:", "Host: a b", " folded: a", "\tfolded", "Name : a", ": a", "no colon", "A: b\x00", "A: \x7f",
	"A: caf\xc3\xa9", "Caf\xc3\xa9: a", "A: b\rC: d", "A: b\nContent-Length: 5", "A: b\r\n Transfer-Encoding: chunked",
	"Trailer: A", "TE: trailers", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
	"X-Calfacade-Tester: x", "Cookie: calfacade-tester=x", facadetest.TesterField, facadetest.TesterCookie,
	"traceparent: " + facadetest.Sampled + "\r\nTraceparent: " + facadetest.Unsampled, "X-Long: " + strings.Repeat("a", 4096),
}

// smuggled are requests that two parsers may frame differently, with one inside
// that would then be a request.
func smuggled() (requests []string) {
	const inner = "GET /admin HTTP/1.1\r\nHost: y\r\n\r\n"
	const line = "GET /wp-json/calendar/events/v1/events/5 HTTP/1.1\r\nHost: x\r\n"
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(inner), inner)
	for _, framing := range []string{
		"Content-Length: %d", "Content-Length: %d\r\nTransfer-Encoding: chunked",
		"Transfer-Encoding: chunked\r\nContent-Length: %d", "Transfer-Encoding: chunked", "Transfer-Encoding: identity, chunked",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
		"Transfer-Encoding: \tchunked", "Transfer-Encoding:\x0bchunked", "Transfer-Encoding : chunked", " Transfer-Encoding: chunked",
		"X: y\nTransfer-Encoding: chunked", "X: y\rTransfer-Encoding: chunked", "Transfer-Encoding\r\n : chunked",
		"Transfer-Encoding: \"chunked\"", "Transfer-Encoding: xchunked", "TRANSFER-ENCODING: CHUNKED",
		"Transfer_Encoding: chunked", "Content_Length: %d",
		"Content-Length: %d\r\nContent-Length: 0", "Content-Length: 0\r\nContent-Length: %d", "Content-Length: -1",
		"Content-Length: 0x10", "Content-Length: %d ", "Content-Length:\t%d", "Content-Length: 1e1", "Content-Length\x00: %d",
		"Content-Length: 99999999999999999999",
		"Expect: 100-continue\r\nContent-Length: %d", "Upgrade: websocket\r\nConnection: Upgrade",
		"Connection: Content-Length\r\nContent-Length: %d",
	} {
		if strings.Contains(framing, "%d") {
			framing = fmt.Sprintf(framing, len(inner))
		}
		requests = append(requests, line+framing+"\r\n\r\n"+inner, line+framing+"\r\n\r\n"+chunk, "HEAD"+line[3:]+framing+"\r\n\r\n"+inner,
			"POST"+line[3:]+framing+"\r\n\r\n"+chunk)
	}
	for _, start := range []string{
		"GET http://y/wp-json/calendar/events/v1/events/5 HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET //y/wp-json/calendar/events/v1/events/5 HTTP/1.1\r\nHost: x\r\n\r\n", line + "Host: y\r\n\r\n",
		"GET /wp-json/calendar/events/v1/events/5\r\n\r\n", "GET /wp-json/calendar/events/v1/events/5 HTTP/0.9\r\nHost: x\r\n\r\n",
		"GET /wp-json/calendar/events/v1/events/5 HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
		"GET /wp-json/calendar/events/v1/events/5 HTTP/1.2\r\nHost: x\r\n\r\n",
		"GET /wp-json/calendar/events/v1/events/5 HTTP/2.0\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"\r\n" + line + "\r\n", "\r\n\r\n" + line + "\r\n", line + "\n", strings.ReplaceAll(line, "\r\n", "\n") + "\n",
		strings.ReplaceAll(line, "\r\n", "\r") + "\r", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", line + "\r\n\r\n",
		line + strings.Repeat("A: b\r\n", 900) + "\r\n", line + "A: " + strings.Repeat("a", 4010) + "\r\n\r\n",
		line + "A: " + strings.Repeat("a", 4020) + "\r\n\r\n", line + "A: " + strings.Repeat("a", 7000) + "\r\n\r\n",
		line + "A: " + strings.Repeat("a", 20_000) + "\r\n\r\n",
		line + "Cookie: a\r\n\tAuthorization: Basic b\r\n\r\n",
	} {
		requests = append(requests, start, start+inner)
	}
	return requests
}
