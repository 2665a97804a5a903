package processtest

import (
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// FrontServer is a proxy in front of the site and of calfacade. Its shipped files are those
// of its directory in docs/deploy, which are as below /etc.
type FrontServer struct {
	Directory string
	Program   string // also the name of Debian's package
	Main      string // replaces the main file of the distribution; "" keeps a shipped file
	Args      string
	CA        string // the file with the CA of its certificate; "" if the test has to make one
}

// Find skips the test, or fails it in CI, without the program.
func (s FrontServer) Find(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath(s.Program)
	if err != nil && os.Getenv("CI") != "" {
		program, err = exec.LookPath("/usr/sbin/" + s.Program) // is not in everybody's PATH
	}
	if err == nil {
		return program
	}
	if os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	t.Skipf("%s is not installed (apt-get install %[1]s)", s.Program)
	return ""
}

// FreeAddress is held for a server that sets SO_REUSEADDR until the test ends.
func FreeAddress(t *testing.T) string { return "127.0.0.1:" + redistest.FreePort(t) }

// CurrentUser returns the name of the user who runs the test.
func CurrentUser(t *testing.T) string {
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u.Username
}

// StartCachingAt starts a cache with a configuration, and waits until it listens.
func StartCachingAt(t *testing.T, address, text string, command func(file, dir, address string) *exec.Cmd) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(file, dir, address)
	p := StartCommand(t, cmd)
	t.Cleanup(func() { // killed, it would leave its workers
		p.Terminate()
		<-p.Ended
	})
	Eventually(t, cmd.Path+" listens", func() bool {
		res, err := http.Get("http://" + address + "/") //nolint:noctx // until it listens
		if err != nil {
			return false
		}
		res.Body.Close()
		return true
	})
	return "http://" + address
}
