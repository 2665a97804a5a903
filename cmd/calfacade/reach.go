package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/calfacade/calfacade/proxy/onward"
)

// reached has the findings of check about a target of edge.purge. Texts contain no secret.
type reached struct {
	Name     string        `json:"name"`
	Kind     onward.Kind   `json:"type"`
	Host     string        `json:"host"`       // with its port
	Connect  time.Duration `json:"connect_ns"` // how long a connection took, with TLS; 0 if there is none
	Problems []string      `json:"problems"`   // purges do not arrive
	Notes    []string      `json:"notes"`
}

// reach connects to a target, for https with TLS, and sends nothing: a request may purge something, or
// count.
func reach(ctx context.Context, t onward.Target) reached {
	t = t.WithDefaults()
	u, err := url.Parse(t.URL)
	if err != nil {
		panic("BUG: the URL was validated")
	}
	dial, port := new(net.Dialer).DialContext, "80"
	if u.Scheme == "https" {
		dial, port = (&tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12}}).DialContext, "443"
	}
	r := reached{t.Name, t.Kind, net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)), 0, []string{}, []string{}}
	if proxied, err := http.ProxyFromEnvironment(&http.Request{URL: u}); proxied != nil || err != nil {
		r.Notes = append(r.Notes, "is called through the proxy that the environment names: not checked")
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	began := time.Now()
	connection, err := dial(ctx, "tcp", r.Host)
	if err != nil {
		r.Problems = append(r.Problems, "not reachable: "+err.Error())
		return r
	}
	r.Connect = time.Since(began)
	_ = connection.Close()
	return r
}
