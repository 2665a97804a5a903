package probe

import (
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestUnreachable: what may help when a call fails.
func TestUnreachable(t *testing.T) {
	for want, err := range map[string]error{
		": see upstream.ca_file":     x509.UnknownAuthorityError{},
		": see upstream.host":        x509.HostnameError{Certificate: new(x509.Certificate), Host: "x"},
		": renew the certificate of": x509.CertificateInvalidError{Reason: x509.Expired},
		"":                           errors.New("connection refused"),
	} {
		r := root{err: fmt.Errorf("call: %w", err)}
		if r.add(whichIndex); len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0], fmt.Sprint("not reachable: ", r.err, want)) ||
			want == "" && !strings.HasSuffix(r.Problems[0], "refused") {
			t.Errorf("%v: %q, want %q", err, r.Problems, want)
		}
	}
}
