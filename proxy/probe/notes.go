package probe

import (
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// notes returns what is unusual about the response to an anonymous request for a list.
func (o *Options) notes(b *Backend, got upstream.Response) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if got.Padding > 0 {
		note("sends %d bytes around its JSON, which are removed: PHP notices, or a byte order mark in a file of a plugin or theme", got.Padding)
	}
	if !b.Dialect.Counts(got.Header) {
		note("sends lists without header fields for their counts, or something in between removes these: the counts in the body are used")
	}
	if reason := o.Unshared(got.Header); reason != "" {
		note("%s", reason)
	}
	return all
}

// minCertificateLife is how long the certificate of a site should be valid at least. Those
// that renew themselves, after two thirds of 90 days, are valid for longer.
const minCertificateLife = 21 * 24 * time.Hour

// certificateNotes reports a certificate that ends soon.
func (o *Options) certificateNotes(end time.Time) []string {
	left := end.Sub(o.Clock())
	if end.IsZero() || left >= minCertificateLife {
		return nil
	}
	return []string{fmt.Sprintf("has a certificate that ends on %s, in %d days: renew it", end.UTC().Format(time.DateOnly), int(left/(24*time.Hour)))}
}

// unreachableHint returns the configuration key that may help when a call fails.
func unreachableHint(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return ": see upstream.ca_file"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return ": see upstream.host"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return ": renew the certificate of the site, or set the clock of this machine"
	}
	return ""
}
