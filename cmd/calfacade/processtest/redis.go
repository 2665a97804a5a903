package processtest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// StartRedis starts a redis-server and returns its URL; nil and "" where there is
// none.
func StartRedis(t *testing.T) (server *os.Process, url string) {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Log("redis-server is not installed: memory alone")
		return nil, ""
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	Eventually(t, "redis-server accepts connections", func() bool {
		c, err := net.Dial("unix", socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return cmd.Process, "unix://" + socket
}
