package upstream

import (
	"crypto/x509"
	"errors"
	"fmt"
	"testing"
)

// TestRemedy: the advice when a call fails.
func TestRemedy(t *testing.T) {
	for want, err := range map[string]error{
		": see upstream.ca_file": x509.UnknownAuthorityError{},
		": see upstream.host":    x509.HostnameError{Certificate: new(x509.Certificate), Host: "x"},
		": renew the certificate of the site, or set the clock of this machine": x509.CertificateInvalidError{Reason: x509.Expired},
		"": errors.New("connection refused"),
	} {
		if got := Remedy(fmt.Errorf("call: %w", err)); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
