package service

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// serveTLS serves the number of requests so far.
func serveTLS(t *testing.T, c config.TLS) string {
	t.Helper()
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }),
		config.Default(), zap.NewNop())
	certificate, err := openCertificate(c, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- s.Serve(lane.Cork(secureListener(edge.LimitConnections(l, edge.ConnectionLimits{All: 100}), certificate, s, new(atomic.Uint64)),
			nil))
	}()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return "https://" + l.Addr().String()
}

// tlsClient has connections of its own. Whom it talks to the test looks at.
func tlsClient(t *testing.T, change func(*tls.Config)) *http.Transport {
	c := &tls.Config{InsecureSkipVerify: true}
	if change != nil {
		change(c)
	}
	transport := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// serial sends a request and returns the number of the certificate of its connection.
func serial(t *testing.T, client *http.Transport, url string) int64 {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.ProtoMajor != 2 {
		t.Errorf("%s, want HTTP/2", res.Proto)
	}
	return res.TLS.PeerCertificates[0].SerialNumber.Int64()
}

// TestCertificateReplaced: new connections get the new certificate, open ones go
// on, and files that do not fit change nothing.
func TestCertificateReplaced(t *testing.T) {
	files := processtest.TLSFiles(t)
	end := time.Now().Add(time.Hour)
	processtest.WriteCertificate(t, files, 1, end)
	url := serveTLS(t, files)
	open := tlsClient(t, nil)
	want := func(client *http.Transport, n int64) {
		t.Helper()
		if got := serial(t, client, url); got != n {
			t.Errorf("certificate %d, want %d", got, n)
		}
	}
	want(open, 1)
	processtest.WriteCertificate(t, files, 2, end)
	want(tlsClient(t, nil), 2)
	want(open, 1) // the connection of before

	key := processtest.ReadFile(t, files.KeyFile)
	processtest.WriteCertificate(t, files, 3, end)
	if err := os.WriteFile(files.KeyFile, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	want(tlsClient(t, nil), 2)
	if err := os.Remove(files.CertFile); err != nil {
		t.Fatal(err)
	}
	want(tlsClient(t, nil), 2)
	processtest.WriteCertificate(t, files, 4, end)
	want(tlsClient(t, nil), 4)
	want(open, 1)
}

func TestOldTLSRefused(t *testing.T) {
	files := processtest.TLSFiles(t)
	processtest.WriteCertificate(t, files, 1, time.Now().Add(time.Hour))
	url := serveTLS(t, files)
	// Not by HTTP/2, which is refused there for its own sake.
	old := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}}
	if c, err := old.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "https://")); err == nil {
		_ = c.Close()
		t.Error("TLS 1.1 was accepted")
	}
	if serial(t, tlsClient(t, func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }), url) != 1 {
		t.Error("TLS 1.2 was not")
	}
}

// TestCheckTLS: calfacade check and the start report faults of a certificate.
func TestCheckTLS(t *testing.T) {
	now := time.Now()
	good := processtest.TLSFiles(t)
	soon := processtest.TLSFiles(t)
	ended := processtest.TLSFiles(t)
	early := processtest.TLSFiles(t)
	broken := processtest.TLSFiles(t)
	processtest.WriteCertificate(t, good, 1, now.Add(20*24*time.Hour))
	processtest.WriteCertificate(t, soon, 1, now.Add(time.Hour))
	processtest.WriteCertificate(t, ended, 1, now.Add(-time.Hour))
	processtest.WriteCertificate(t, early, 1, now.Add(40*24*time.Hour))
	processtest.WriteCertificate(t, broken, 1, now.Add(time.Hour))
	broken.KeyFile = good.KeyFile
	for _, test := range []struct {
		name, want string
		files      config.TLS
		warns      bool
	}{
		{"none", "", config.TLS{}, false},
		{"good", "", good, false},
		{"ends soon", "", soon, true},
		{"ended", "tls: cert_file expired at ", ended, true},
		{"early", "tls: cert_file is not valid before ", early, false},
		{"broken", "tls: tls: private key does not match public key", broken, false},
		{"absent", "no such file", config.TLS{CertFile: "/absent", KeyFile: "/absent"}, false},
	} {
		warning, err := CheckCertificate(test.files, now)
		if (warning != "") != test.warns {
			t.Errorf("%s: warning %q", test.name, warning)
		}
		if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	if _, err := openCertificate(broken, zap.NewNop()); err == nil {
		t.Error("a pair that does not fit was served")
	}
}

// TestCertificateEnds: the metric, the log and the status page show a certificate that ends soon, and no
// longer after it was replaced.
func TestCertificateEnds(t *testing.T) {
	files := processtest.TLSFiles(t)
	end := time.Now().Add(24 * time.Hour)
	processtest.WriteCertificate(t, files, 1, end)
	c := processtest.MinimalConfig(t)
	c.Cache.SiteZone = "UTC"
	core, logged := observer.New(zap.WarnLevel)
	s, err := New(c, Options{Log: zap.New(core), Metrics: telemetry.NewMetrics(""), Load: func() (config.Config, error) { return c, nil }})
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := openCertificate(files, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	s.watchCertificate(certificate)
	contains := func(path, text string) bool {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "127.0.0.1"
		r.RemoteAddr = "127.0.0.1:1"
		s.Admin(w, r)
		return strings.Contains(w.Body.String(), text)
	}
	metric := func(end time.Time) string {
		return fmt.Sprintf("calfacade_tls_certificate_not_after_timestamp_seconds %v\n", float64(end.Unix()))
	}
	if !contains("/metrics", metric(end)) || !contains("/status/", "The certificate ends soon") {
		t.Error("the metric or the status page lacks the end of the certificate")
	}
	processtest.WriteCertificate(t, files, 2, end.Add(19*24*time.Hour))
	if !contains("/metrics", metric(end.Add(19*24*time.Hour))) || contains("/status/", "The certificate ends soon") {
		t.Error("the metric or the status page lacks the renewal")
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := logged.FilterMessage("certificate").Len(); got != 1 {
		t.Errorf("%d records, want 1", got)
	}
}
