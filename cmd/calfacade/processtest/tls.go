package processtest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// WriteCertificate writes a pair of files for 127.0.0.1, valid until end. Its
// serial number distinguishes it from others.
func WriteCertificate(t *testing.T, c config.TLS, serial int64, end time.Time) {
	t.Helper()
	if err := proxytest.WriteCertificate(c.CertFile, c.KeyFile, serial, end); err != nil {
		t.Fatal(err)
	}
}

// TLSFiles names a pair of files that do not exist yet.
func TLSFiles(t *testing.T) config.TLS {
	dir := t.TempDir()
	return config.TLS{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
}
