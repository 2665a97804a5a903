//go:build !race

package serving_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestUnixSocket: the client of a Unix socket of systemd is a proxy, which names the
// client. The second request is answered in the lane.
func TestUnixSocket(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket, err := l.(*net.UnixListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, binary, "serve", "--config", processtest.WriteConfig(t, processtest.NewSite(t), ""))
	cmd.ExtraFiles = []*os.File{socket}
	cmd.Env = []string{"HOME=" + t.TempDir(), "LISTEN_FDS=1", "LISTEN_FDNAMES=calfacade.socket"}
	p := processtest.StartCommand(t, cmd)
	p.Expect(`"msg":"serving"`)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	defer transport.CloseIdleConnections()
	for client, network := range map[string]string{"198.51.100.7": "198.51.100.0/24", "2001:db8::7": "2001:db8::/48"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x/wp-json/calendar/events/v1/events/12", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Forwarded-For", client)
		r.Header.Set("X-Forwarded-Proto", "https")
		res, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.Header["Strict-Transport-Security"] != nil {
			t.Errorf("%s: the certificate is a proxy's: %v", client, res.Header)
		}
		p.Expect(`"client":"` + network + `"`)
	}
}
