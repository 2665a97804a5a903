package upstream

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
)

// AccessOptions configure how the legacy is reached if its URL is not enough. They do not
// apply to other backends.
type AccessOptions struct {
	Host string         // name of the site in Host and in its certificate; "" is that of its URL
	CAs  *x509.CertPool // for its certificate; nil uses those of the system

	// Header is sent with every call. It may hold secrets and is never logged or recorded.
	Header http.Header

	// ClientCredentials is the header field in which a client's Authorization is forwarded.
	// "" is Authorization; if Header has that field, requests with credentials are refused.
	ClientCredentials string
}

// transport adds the options to every call. It is below Wrap of [Options], so that a
// recording does not see them.
func (o AccessOptions) transport(next http.RoundTripper) http.RoundTripper {
	if o.Host == "" && len(o.Header) == 0 && o.ClientCredentials == "" {
		return next
	}
	return accessTransport{o, next}
}

type accessTransport struct {
	AccessOptions
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t accessTransport) RoundTrip(in *http.Request) (*http.Response, error) {
	out := in.Clone(in.Context())
	out.Host = cmp.Or(t.Host, in.Host)
	if client := in.Header.Get("Authorization"); client != "" && t.ClientCredentials != "" {
		out.Header.Del("Authorization")
		out.Header.Set(t.ClientCredentials, client)
	}
	for name, values := range t.Header {
		out.Header[name] = values
	}
	return t.next.RoundTrip(out)
}

// tls returns how the site is authenticated; nil for the default.
func (o AccessOptions) tls() *tls.Config {
	if o.Host == "" && o.CAs == nil {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.CAs, ServerName: (&url.URL{Host: o.Host}).Hostname()}
}

// RefusesCredentials reports whether the credentials of clients cannot be forwarded because
// the operator's are in the same header field.
func (o AccessOptions) RefusesCredentials() bool {
	return o.ClientCredentials == "" && o.Header.Get("Authorization") != ""
}
