package upstream

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
)

// AccessOptions say how the legacy is reached where its URL does not say it all. They
// are for no other backend.
type AccessOptions struct {
	Host string         // what the site is called by, in Host and in its certificate; "" is as in its URL
	CAs  *x509.CertPool // that sign its certificate; nil is those of the system

	// Header is sent with every call. It may hold secrets, and is in no record.
	Header http.Header

	// ClientCredentials is the header field by which a client's Authorization passes.
	// "" is Authorization; where Header has that, the client's is refused.
	ClientCredentials string
}

// transport adds to every call what the options say. It stands below what keeps calls,
// such as a [Recording], which so learns nothing of it.
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

// tls returns how the site proves who it is; nil for the usual way.
func (o AccessOptions) tls() *tls.Config {
	if o.Host == "" && o.CAs == nil {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.CAs, ServerName: (&url.URL{Host: o.Host}).Hostname()}
}

// RefusesCredentials reports whether a client's credentials cannot pass, for those of the
// operator have their place.
func (o AccessOptions) RefusesCredentials() bool {
	return o.ClientCredentials == "" && o.Header.Get("Authorization") != ""
}
