package onward

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
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
	var group sync.WaitGroup
	for i, t := range targets {
		group.Go(func() { all[i] = t.withDefaults().reach(ctx) })
	}
	group.Wait()
	return all
}

func (t Target) reach(ctx context.Context) Reached {
	u, err := url.Parse(t.URL)
	if err != nil {
		panic("BUG: the URL was validated")
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	r := Reached{t.Name, t.Kind, net.JoinHostPort(u.Hostname(), port), 0, []string{}, []string{}}
	if proxied, err := http.ProxyFromEnvironment(&http.Request{URL: u}); proxied != nil || err != nil {
		r.Notes = append(r.Notes, "is called through the proxy that the environment names: not checked")
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	dial := new(net.Dialer).DialContext
	if u.Scheme == "https" {
		dial = (&tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12}}).DialContext
	}
	began := time.Now()
	connection, err := dial(ctx, "tcp", r.Host)
	var certificate *tls.CertificateVerificationError
	switch {
	case err == nil:
		r.Connect = time.Since(began)
		_ = connection.Close()
	case errors.As(err, &certificate):
		r.Problems = append(r.Problems, "has a certificate that is not valid for it: "+certificate.Err.Error())
	case errors.Is(err, context.DeadlineExceeded):
		r.Problems = append(r.Problems, fmt.Sprintf("not reachable within %s: is a firewall between?", t.Timeout))
	default:
		r.Problems = append(r.Problems, "not reachable: "+err.Error())
	}
	return r
}
