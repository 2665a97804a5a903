//go:build !race

package serving_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

func TestReload(t *testing.T) {
	binary := processtest.Build(t)
	p := processtest.StartServe(t, binary, processtest.NewSite(t), "cache: {ttl: {events: 1h}}\nadmin: {token: first-0123456789}")
	wantLink := func(host string) {
		t.Helper()
		if body := p.Get("/events/12"); !strings.Contains(body, host+"/wp-json/calendar/events/v1/events/12") {
			t.Errorf("want a link to %s: %s", host, body)
		}
	}
	wantLink("https://api.example.org")
	p.Edit("api.example.org", "new.example.org")
	p.Edit("first-0123456789", "second-0123456789")
	p.HangUp()
	p.Expect(`"msg":"configuration reloaded","changed":\["public_url","admin.token"\]`)
	wantLink("https://new.example.org")

	p.Edit("public_url: https://new", "public_url: ftp://other")
	p.HangUp()
	p.Expect(`"msg":"configuration rejected, the previous one stays in use","error":"public_url: `)
	wantLink("https://new.example.org")

	p.Edit("ftp://other", "https://new")
	p.Edit("\nlisten: 127.0.0.1:0", "\nlisten: 127.0.0.1:1")
	p.HangUp()
	p.Expect(`"error":"changed keys that require a restart: listen"`)

	p.Edit("\nlisten: 127.0.0.1:1", "\nlisten: 127.0.0.1:0\nupstream: {timeout: 2m}")
	p.HangUp()
	p.Expect(`"error":"changed keys that require a restart: upstream.timeout"`)

	p.Edit("\nupstream: {timeout: 2m}", "")
	p.HangUp()
	p.Expect(`"msg":"configuration unchanged"`)
	if strings.Contains(p.Out.Text(), "0123456789") {
		t.Error("the log holds a token")
	}
}

// TestWatch changes the file, and then a file that it names alone, and sends no signal.
func TestWatch(t *testing.T) {
	binary := processtest.Build(t)
	token := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(token, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first-0123456789")
	p := processtest.StartServe(t, binary, processtest.NewSite(t), "watch_interval: 10ms\nadmin: {token_file: "+token+"}")
	p.Edit("api.example.org", "new.example.org")
	p.Expect(`"msg":"configuration reloaded","changed":\["public_url"\]`)
	write("second-0123456789")
	p.Expect(`"msg":"configuration reloaded","changed":\["admin.token"\]`)
}

// TestReloadUnderWay lets a request that began before a reload end after it.
func TestReloadUnderWay(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	legacy, url := newSlowSite(t)
	p := processtest.StartServe(t, binary, url, "cache: {memory: 1MiB}")
	answer := p.Begin("/events/12")
	<-legacy.arrived
	p.Edit("memory: 1MiB", "memory: 2MiB") // another cache: nothing of the old facade stays
	p.HangUp()
	p.Expect(`"msg":"configuration reloaded"`)
	close(legacy.release)
	if got := <-answer; got.Err != nil || got.Status != http.StatusOK {
		t.Errorf("the request under way got %+v", got)
	}
	p.Terminate()
	if status := p.ExitStatus(); status != processtest.StatusOK {
		t.Errorf("exit status %d, want %d", status, processtest.StatusOK)
	}
}

// TestReloadUnderLoad reloads while clients ask: no client sees it.
func TestReloadUnderLoad(t *testing.T) {
	binary := processtest.Build(t)
	p := processtest.StartServe(t, binary, processtest.NewSite(t), "cache: {memory: 1MiB}")
	load := ask(t, p.Base+"/events/12")
	old := "1MiB"
	for i := range 20 {
		load.AwaitRequests(20)
		now := fmt.Sprintf("%dMiB", i+2)
		p.Edit("memory: "+old, "memory: "+now)
		p.HangUp()
		if i == 0 { // signals that come together are one
			p.Expect("configuration reloaded")
		}
		old = now
	}
	p.Expect(`(?s)(configuration reloaded.*){2}`)
	load.AwaitRequests(200)
	load.End()
}

// TestActivation restarts a process that got its socket from another, as from
// systemd, while clients ask: no client sees it.
func TestActivation(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	notes := listenNotify(t)
	cfg := processtest.WriteConfig(t, processtest.NewSite(t), "")
	begin := func() *processtest.Program {
		// systemd passes a process its own id.
		cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, binary, "serve", "--config", cfg)
		cmd.ExtraFiles = []*os.File{socket}
		cmd.Env = []string{"HOME=" + t.TempDir(), "LISTEN_FDS=1", "LISTEN_FDNAMES=calfacade.socket", "NOTIFY_SOCKET=" + notes.path}
		p := processtest.StartCommand(t, cmd)
		notes.want("READY=1")
		return p
	}
	p := begin()
	load := ask(t, "http://"+l.Addr().String()+"/wp-json/calendar/events/v1/events/12")
	for range 3 {
		load.AwaitRequests(50)
		p.Terminate()
		notes.want("STOPPING=1")
		if status := p.ExitStatus(); status != processtest.StatusOK {
			t.Fatalf("exit status %d, want %d", status, processtest.StatusOK)
		}
		p = begin()
	}
	load.AwaitRequests(50)
	load.End()
	processtest.Serving{Program: p}.HangUp()
	notes.want("RELOADING=1\nMONOTONIC_USEC=")
	notes.want("READY=1")
}

// TestWatchdog: a process notifies systemd repeatedly while it serves.
func TestWatchdog(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	notes := listenNotify(t)
	cmd := exec.Command(binary, "serve", "--config", processtest.WriteConfig(t, processtest.NewSite(t), ""))
	cmd.Env = []string{"HOME=" + t.TempDir(), "NOTIFY_SOCKET=" + notes.path, "WATCHDOG_USEC=100000"}
	processtest.StartCommand(t, cmd)
	notes.want("READY=1")
	if err := notes.conn.SetReadDeadline(time.Now().Add(testwait.Limit)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		notes.want("WATCHDOG=1")
	}
}

// notifications is the socket on which a process notifies systemd.
type notifications struct {
	*testing.T
	path string
	conn *net.UnixConn
}

func listenNotify(t *testing.T) notifications {
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return notifications{T: t, path: path, conn: conn}
}

func (n notifications) want(state string) {
	n.Helper()
	buffer := make([]byte, 1024)
	size, err := n.conn.Read(buffer)
	if err != nil {
		n.Fatal(err)
	}
	if got := string(buffer[:size]); !strings.HasPrefix(got, state) {
		n.Errorf("systemd got %q, want %q", got, state)
	}
}

// TestDrainDelay: while others learn that it ends, a process serves on, and has
// its clients connect again.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	p := processtest.StartServe(t, binary, processtest.NewSite(t), "drain_delay: 1h")
	p.Terminate()
	p.Expect(`"msg":"draining"`)
	res, err := http.Get(p.Base + "/events/12")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK || !res.Close {
		t.Errorf("status %d, close %t; want 200 and true", res.StatusCode, res.Close)
	}
	if ready := health(p, "/readyz"); ready != http.StatusServiceUnavailable {
		t.Errorf("/readyz %d, want 503", ready)
	}
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil { // a second signal ends it at once
		t.Fatal(err)
	}
	p.ExitStatus()
}

// TestDemoRedis freezes the Redis of a demo while clients ask: no client sees it.
func TestDemoRedis(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	redis, url := processtest.StartRedis(t)
	if redis == nil {
		t.Skip("there is no redis-server")
	}
	p := processtest.Start(t, binary, "demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--redis", url)
	base := p.Expect(`(?m)^  en  (http://\S+)`)[1]
	load := ask(t, base+"/events?per_page=2")
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT, syscall.SIGSTOP} {
		load.AwaitRequests(100)
		testwait.Signal(t, redis, signal)
		for n := range 20 { // cold ones
			if res, err := http.Get(fmt.Sprintf("%s/events?search=%d%d", base, signal, n)); err != nil || res.StatusCode != http.StatusOK {
				t.Errorf("after %s: %v %v", signal, res, err)
			} else {
				res.Body.Close()
			}
		}
	}
	load.AwaitRequests(100)
	load.End()
}
