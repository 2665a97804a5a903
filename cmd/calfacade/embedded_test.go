package main

import (
	"crypto/x509"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// TestNothingInstalled runs this test in a process that finds no zones and no certificates of
// CAs, as in an image that is empty but for the program.
func TestNothingInstalled(t *testing.T) {
	const inside = "CALFACADE_TEST_NOTHING_INSTALLED"
	if os.Getenv(inside) == "" {
		self := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestNothingInstalled$")
		self.Env = []string{inside + "=1", "SSL_CERT_FILE=/nothing", "SSL_CERT_DIR=/nothing", "ZONEINFO=/nothing"}
		if out, err := self.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if _, err := time.LoadLocation("Europe/Berlin"); err != nil {
		t.Error(err)
	}
	for root := range bundle.Roots() {
		if c, err := x509.ParseCertificate(root.Certificate); err != nil {
			t.Error(err)
		} else if root.Constraint == nil && time.Now().Before(c.NotAfter) {
			if _, err := c.Verify(x509.VerifyOptions{}); err != nil {
				t.Errorf("%s: %v", c.Subject, err)
			}
			return
		}
	}
}
