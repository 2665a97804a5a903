package processtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// Repository is the directory of the repository, in which tests read files; "" outside of it, where a script runs the
// binary of a test as calfacade.
var Repository = findRepository()

func findRepository() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// Configurations of the repository: the example, and the shortest that is valid.
var (
	ExampleFile = Repository + "/config.example.yaml"
	minimalFile = Repository + "/cmd/calfacade/internal/config/testdata/minimal.yaml"
)

// Patience is the time allowed to a process for a step that takes milliseconds.
const Patience = testwait.Limit

// Eventually waits until a condition holds, see [testwait.Until].
var Eventually = testwait.Until

// MinimalConfig loads minimalFile.
func MinimalConfig(t testing.TB) config.Config {
	t.Helper()
	cfg, err := config.Load(minimalFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// ReadFile returns the text of a file.
func ReadFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

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

// Secrets that nobody but the legacy may learn. The second is the first as Basic
// credentials of "u", as a dump of a header would show it.
var planted = []string{"opensesame", "dTpvcGVuc2VzYW1l", "c00kie", "n0nce"}

// FindSecrets fails if a text of a place holds a secret of the site.
func FindSecrets(t *testing.T, place, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		for _, secret := range planted {
			if strings.Contains(line, secret) {
				t.Errorf("%s holds the secret %s: %s", place, secret, line)
			}
		}
	}
}
