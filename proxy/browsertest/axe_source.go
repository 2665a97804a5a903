//go:build !race

package browsertest

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// axe-core comes from npm, and is neither in the repository nor in the program.
const (
	axeVersion = "4.14.1"
	axeSum     = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c" // SHA-256 of axe.min.js
)

// axe returns the script of axe-core, from the user's cache or else from npm. Without npm
// or a network the test is skipped, and fails where CI=true.
func axe(t *testing.T) string {
	t.Helper()
	cached := ""
	if dir, err := os.UserCacheDir(); err == nil {
		cached = filepath.Join(dir, "calfacade", "axe-core-"+axeVersion+".min.js")
		if script, err := os.ReadFile(cached); err == nil && sum(script) == axeSum {
			return string(script)
		}
	}
	script, err := fetchAxe(t)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI needs axe-core: ", err)
		}
		t.Skip("no axe-core: ", err)
	}
	if digest := sum(script); digest != axeSum {
		t.Fatalf("axe-core %s has the SHA-256 %s, want %s", axeVersion, digest, axeSum)
	}
	if cached != "" {
		keep(t, cached, script)
	}
	return string(script)
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// fetchAxe runs npm, which downloads the package and checks its integrity.
func fetchAxe(t *testing.T) ([]byte, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, err
	}
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), npm, "pack", "--silent",
		"axe-core@"+axeVersion) // #nosec G204 -- constant but for where npm is
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack: %w: %s", err, out)
	}
	f, err := os.Open(filepath.Join(dir, "axe-core-"+axeVersion+".tgz"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was read
	return extract(f, "package/axe.min.js")
}

// extract returns a file of a compressed archive.
func extract(archive io.Reader, name string) ([]byte, error) {
	z, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("no %s in it", name)
		}
		if err != nil {
			return nil, err
		}
		if h.Name == name {
			return io.ReadAll(io.LimitReader(files, 16<<20))
		}
	}
}

// keep writes the script to the cache, whole: tests of several packages run at a time.
func keep(t *testing.T, path string, script []byte) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		part := fmt.Sprintf("%s.%d", path, os.Getpid())
		err = errors.Join(os.WriteFile(part, script, 0o600), os.Rename(part, path))
	}
	if err != nil {
		t.Log("axe-core is not cached: ", err)
	}
}
