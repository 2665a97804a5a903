package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/mapping"
)

// TestOutage: an outage lasts from the first failure to the next success, and has the last cause.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &breaker{}
		third := time.Now().Add(2 * time.Second)
		for _, step := range []struct {
			outcome error
			want    Outage
		}{
			{outcome: nil, want: Outage{}},
			{outcome: errNoOutcome, want: Outage{}},
			{outcome: errors.New("status 500"), want: Outage{Since: third, Calls: 1, Cause: "status 500"}},
			{outcome: errNoOutcome, want: Outage{Since: third, Calls: 1, Cause: "status 500"}},
			{
				outcome: callError(true, io.EOF),
				want:    Outage{Since: third, Calls: 2, Cause: "it closed the connection"},
			},
			{outcome: nil, want: Outage{}},
		} {
			b.end(0, step.outcome, 0)
			if b.outage != step.want {
				t.Errorf("after %v: %+v, want %+v", step.outcome, b.outage, step.want)
			}
			time.Sleep(time.Second)
		}
	})
}

// TestOutageIsLogged: an outage has two records, however many probes fail in it.
func TestOutageIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		encoding := zap.NewProductionEncoderConfig()
		encoding.TimeKey = ""
		encoding.EncodeDuration = zapcore.StringDurationEncoder
		site := &pausedSite{status: http.StatusServiceUnavailable}
		u := New("legacy", Options{
			MaxRetryAfter: time.Hour, Wrap: func(http.RoundTripper) http.RoundTripper { return site },
			Log: zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(encoding), zapcore.AddSync(&log), zap.DebugLevel)),
		}, []Root{{Name: "en", URL: pausedRoot}}, new(Hosts))
		defer u.Close()
		for second := range 60 {
			if second == 50 {
				site.status = http.StatusOK
			}
			for class, method := range []string{Read: http.MethodGet, Write: http.MethodPost} {
				if second%3 == 0 && method != "" {
					out := Request{Request: mapping.Request{Method: method}, Class: Class(class)}
					_, _, _ = u.Do(t.Context(), pausedRoot, out) // the log has the outcome
				}
			}
			time.Sleep(time.Second)
		}
		if got, want := log.String(), `{"level":"error","msg":"site is down","root":"en","reason":"status 503"}
{"level":"info","msg":"site is back","root":"en","reason":"status 503","duration":"54s","refused_writes":18}
`; got != want {
			t.Errorf("the log has %s, want %s", got, want)
		}
	})
}

// TestOutageCountsRefusedWrites: writes count as refused that were not sent, be it to a closed port or not at all.
func TestOutageCountsRefusedWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		u := New("legacy", Options{
			Breaker: BreakerOptions{Failures: 2}, Wrap: func(http.RoundTripper) http.RoundTripper {
				return roundTrip(func(r *http.Request) (*http.Response, error) {
					if down {
						return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
					}
					return (&pausedSite{status: http.StatusOK}).RoundTrip(r)
				})
			},
		}, []Root{{Name: "en", URL: pausedRoot}}, new(Hosts))
		defer u.Close()
		write := func(want uint64) {
			t.Helper()
			out := Request{Request: mapping.Request{Method: http.MethodPost}, Class: Write}
			_, _, _ = u.Do(t.Context(), pausedRoot, out) // the count has the outcome
			if got := u.Stats()[0].RefusedWrites; got != want {
				t.Errorf("%d refused writes, want %d", got, want)
			}
		}
		for n := range uint64(4) {
			write(n + 1)
		}
		time.Sleep(6 * time.Second)
		write(5) // a probe
		down = false
		write(0)
	})
}

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestCauseOf: causes are short and name no address.
func TestCauseOf(t *testing.T) {
	dial := func(err error) error {
		return callError(false, &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}, Err: err})
	}
	for want, err := range map[string]error{
		"connection refused":               dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)),
		"its host name cannot be resolved": dial(&net.DNSError{Err: "no such host", Name: "secret.example"}),
		"no response in time":              callError(true, context.DeadlineExceeded),
		"it closed the connection":         callError(true, fmt.Errorf("reading: %w", io.ErrUnexpectedEOF)),
		"status 503":                       errors.New("status 503"),
		errProtocol.Error():                callError(true, errors.New("malformed HTTP response \"secret\"")),
		errTooBig.Error():                  errTooBig,
	} {
		if got := causeOf(err); got != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
	}
}
