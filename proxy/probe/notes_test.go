package probe

import (
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestUnreachableHint(t *testing.T) {
	for want, err := range map[string]error{
		": see upstream.ca_file":     x509.UnknownAuthorityError{},
		": see upstream.host":        x509.HostnameError{Certificate: new(x509.Certificate), Host: "x"},
		": renew the certificate of": x509.CertificateInvalidError{Reason: x509.Expired},
		"":                           errors.New("connection refused"),
	} {
		if got := unreachableHint(fmt.Errorf("call: %w", err)); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
