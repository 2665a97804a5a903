package config

import (
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"time"
)

// Upstream configures the calls to the legacy site.
type Upstream struct {
	// Dialect is the API of the site: tribe/events/v1, or the dialect of a backend
	// that has become the site. Default tribe/events/v1.
	Dialect string `yaml:"dialect" default:"tribe/events/v1" check:"in calendar/events/v1 tec/v1 tribe/events/v1"`

	// LanguageParam is the query parameter that selects a language. Default
	// wpml_language; empty if the site has none.
	LanguageParam string `yaml:"language_param" default:"wpml_language" check:"?param"`

	// Host is the public host of the site, if the upstreams of the languages are
	// internal addresses. It is sent as Host, checked against the certificate, and
	// expected in the links of the site, in all languages. Default empty: the host of
	// the upstream.
	Host string `yaml:"host" check:"?host"`

	// CAFile is a PEM file of the only CAs that are trusted for the site's
	// certificate. Default empty: the CAs of the system, or those that
	// Mozilla trusts if the system has none.
	CAFile string `yaml:"ca_file" file:"yes"`

	CAs *x509.CertPool `yaml:"-"` // the content of CAFile; nil without a file

	// BasicAuth is user:password of HTTP Basic authentication, if the web server of the
	// site requires that. It must not be a WordPress user: every client would see that
	// user's drafts. Default empty.
	BasicAuth Secret `yaml:"basic_auth" check:"?basic"`

	// Headers are header fields, such as "X-Key: value", that every call carries.
	// Their values are secrets. Default empty.
	Headers Secrets `yaml:"headers"`

	// Authorization is the header field in which calls have the client's
	// Authorization. Default empty: Authorization; if [Upstream.BasicAuth]
	// or [Upstream.Headers] sets that, requests with credentials get a 403.
	Authorization string `yaml:"authorization" check:"?field"`

	// Timeout is the time allowed for one call, from dialing to the last byte of
	// the body, retries and the rewriting of the response included. A change requires a
	// restart: twice the time plus 32s is the time that a client may take to read a
	// response. Default 10s; 0 is an error.
	Timeout time.Duration `yaml:"timeout" default:"10s" check:"positive" restart:"yes"`

	// MaxConcurrent is the maximum number of calls in flight to one host, from this
	// instance. 64 more wait for up to a second. One client, an IPv4 address or an IPv6
	// /64 network, occupies at most three quarters of both. PHP-FPM has 5 to 20 workers
	// as a rule, and visitors of the site need some. Default 16; 0 is an error.
	MaxConcurrent int `yaml:"max_concurrent" default:"16" check:"positive"`

	// AllowPlainHTTP accepts upstreams by http on other machines, to which credentials
	// are then sent unencrypted. Default false.
	AllowPlainHTTP bool `yaml:"allow_plain_http"`

	// WordPressURL is the "WordPress Address" in the settings of the site, if it is
	// not below its "Site Address": links to images are below it. [Config.PagesURL]
	// applies to them. Default empty: images are below the site.
	WordPressURL string `yaml:"wordpress_url" check:"?url"`
}

// ownFields are header fields that the facade sets itself, or that would change the
// meaning of a call or of its connection.
var ownFields = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Expect",
	"Host", "Keep-Alive", "Proxy-Connection", "Range", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"X-Http-Method-Override", "X-Wp-Nonce",
}

// upstream checks how calls reach the site. The errors quote names of header fields, and never their values.
func (f *faults) upstream(u Upstream) {
	names := f.headerFields(u.Headers)
	f.check(u.BasicAuth.Reveal() == "" || !slices.Contains(names, "Authorization"), "upstream.basic_auth",
		"Authorization is set in upstream.headers as well: use one of the two")
	name := http.CanonicalHeaderKey(u.Authorization)
	f.check(name != "Authorization" && !slices.Contains(ownFields, name), "upstream.authorization", "%s is reserved for the facade", name)
	f.check(!slices.Contains(names, name), "upstream.authorization", "%s is in upstream.headers as well", name)
}

// headerFields checks header fields, and returns their names.
func (f *faults) headerFields(fields Secrets) []string {
	var names []string
	for i, field := range fields.Reveal() {
		key := fmt.Sprintf("upstream.headers[%d]", i)
		name, value := splitField(field)
		if !patterns["field"].form.MatchString(name) || !patterns["printable"].form.MatchString(value) {
			f.check(false, key, `is not a header field such as "X-Key: value", in printable ASCII`)
			continue
		}
		f.check(!slices.Contains(ownFields, name), key, "%s is reserved for the facade", name)
		f.check(!slices.Contains(names, name), key, "%s is set twice", name)
		names = append(names, name)
	}
	return names
}

// Header returns the header fields of Headers and of BasicAuth, with their secret values.
func (u Upstream) Header() http.Header {
	h := http.Header{}
	credentials := u.BasicAuth.Reveal()
	if credentials != "" {
		h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(credentials)))
	}
	for _, field := range u.Headers.Reveal() {
		name, value := splitField(field)
		h.Set(name, value)
	}
	return h
}

// splitField splits a header field into the canonical name and the value.
func splitField(field string) (name, value string) {
	name, value, _ = strings.Cut(field, ":")
	return http.CanonicalHeaderKey(name), textproto.TrimString(value)
}

// ReadCAs returns the certificates in a file; nil without a file.
func ReadCAs(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pool := x509.NewCertPool()
	data, err := os.ReadFile(file)
	if err == nil && !pool.AppendCertsFromPEM(data) {
		err = fmt.Errorf("%s contains no PEM certificate", file)
	}
	return pool, err
}
