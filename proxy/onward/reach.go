package onward

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"
)

// Reached is what [Reach] finds out about a target. Texts contain no secret.
type Reached struct {
	Name     string        `json:"name"`
	Kind     Kind          `json:"type"`
	Host     string        `json:"host"`       // with its port
	Connect  time.Duration `json:"connect_ns"` // how long a connection took, with TLS; 0 if there is none
	Problems []string      `json:"problems"`   // purges do not arrive
	Notes    []string      `json:"notes"`
}

// Reach connects to each target, for https with TLS, and sends nothing: a request may purge
// something, or count.
func Reach(ctx context.Context, targets []Target) []Reached {
	all := make([]Reached, len(targets))
	var group errgroup.Group
	for i, t := range targets {
		group.Go(func() error {
			all[i] = t.withDefaults().reach(ctx)
			return nil
		})
	}
	_ = group.Wait()
	return all
}

func (t Target) reach(ctx context.Context) Reached {
	r := Reached{Name: t.Name, Kind: t.Kind, Problems: []string{}, Notes: []string{}}
	u, err := url.Parse(t.URL)
	if err != nil {
		panic("BUG: the URL was validated")
	}
	r.Host = withPort(u)
	if proxied, err := http.ProxyFromEnvironment(&http.Request{URL: u}); proxied != nil || err != nil {
		r.Notes = append(r.Notes, "is called through the proxy that the environment names: not checked")
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	began := time.Now()
	if err := dial(ctx, u); err != nil {
		r.Problems = append(r.Problems, unreachable(err, t.Timeout))
		return r
	}
	r.Connect = time.Since(began)
	return r
}

func withPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// dial connects to the host of u, and closes the connection.
func dial(ctx context.Context, u *url.URL) error {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", withPort(u))
	if err != nil {
		return err
	}
	defer c.Close()
	if u.Scheme == "https" {
		return tls.Client(c, &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}).HandshakeContext(ctx)
	}
	return nil
}

// unreachable returns why there is no connection, and what to do.
func unreachable(err error, timeout time.Duration) string {
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return "has a certificate that is not valid for it: " + certificate.Err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("not reachable within %s: is a firewall between?", timeout)
	}
	return "not reachable: " + err.Error()
}
