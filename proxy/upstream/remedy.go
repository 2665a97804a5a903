package upstream

import (
	"crypto/x509"
	"errors"
)

// Remedy returns what may help when a call fails, after ": "; "" if that is unknown.
func Remedy(err error) string {
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
