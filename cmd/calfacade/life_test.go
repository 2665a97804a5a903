package main

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
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// newSite answers every read with an event that has a link of the legacy.
func newSite(t *testing.T) string {
	var url string
	url = processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		proxytest.WriteItem(w, `{"id":12,"rest_url":"%s/wp-json/tribe/events/v1/events/12"}`, url)
	}))
	return url
}

// edit replaces the configuration of a process.
func (s serving) edit(old, now string) {
	s.Helper()
	file := s.cmd.Args[len(s.cmd.Args)-1]
	data, err := os.ReadFile(file)
	if err != nil {
		s.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), old, now)
	if text == string(data) {
		s.Fatalf("there is no %s in %s", old, data)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s serving) hangUp() {
	s.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		s.Fatal(err)
	}
}

// get returns the body of a response.
func (s serving) get(path string) string {
	s.Helper()
	got := <-s.begin(path)
	if got.err != nil || got.status != http.StatusOK {
		s.Fatalf("GET %s: %+v", path, got)
	}
	return got.body
}

func TestReload(t *testing.T) {
	binary := build(t)
	p := startServe(t, binary, newSite(t), "cache: {ttl: {events: 1h}}\nadmin: {token: first-0123456789}")
	wantLink := func(host string) {
		t.Helper()
		if body := p.get("/events/12"); !strings.Contains(body, host+"/wp-json/calendar/events/v1/events/12") {
			t.Errorf("want a link to %s: %s", host, body)
		}
	}
	wantLink("https://api.example.org")
	p.edit("api.example.org", "new.example.org")
	p.edit("first-0123456789", "second-0123456789")
	p.hangUp()
	p.expect(`"msg":"configuration reloaded","changed":\["public_url","admin.token"\]`)
	wantLink("https://new.example.org")

	p.edit("public_url: https://new", "public_url: ftp://other")
	p.hangUp()
	p.expect(`"msg":"configuration rejected, the previous one stays in use","error":"public_url: `)
	wantLink("https://new.example.org")

	p.edit("ftp://other", "https://new")
	p.edit("\nlisten: 127.0.0.1:0", "\nlisten: 127.0.0.1:1")
	p.hangUp()
	p.expect(`"error":"changed keys that require a restart: listen"`)

	p.edit("\nlisten: 127.0.0.1:1", "\nlisten: 127.0.0.1:0\nupstream: {timeout: 2m}")
	p.hangUp()
	p.expect(`"error":"changed keys that require a restart: upstream.timeout"`)

	p.edit("\nupstream: {timeout: 2m}", "")
	p.hangUp()
	p.expect(`"msg":"configuration unchanged"`)
	if strings.Contains(p.out.text(), "0123456789") {
		t.Error("the log holds a token")
	}
}

// TestWatch changes the file, and then a file that it names alone, and sends no signal.
func TestWatch(t *testing.T) {
	binary := build(t)
	token := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(token, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first-0123456789")
	p := startServe(t, binary, newSite(t), "watch_interval: 10ms\nadmin: {token_file: "+token+"}")
	p.edit("api.example.org", "new.example.org")
	p.expect(`"msg":"configuration reloaded","changed":\["public_url"\]`)
	write("second-0123456789")
	p.expect(`"msg":"configuration reloaded","changed":\["admin.token"\]`)
}

// TestReloadUnderWay lets a request that began before a reload end after it.
func TestReloadUnderWay(t *testing.T) {
	t.Parallel()
	binary := build(t)
	legacy, url := newSlowSite(t)
	p := startServe(t, binary, url, "cache: {memory: 1MiB}")
	answer := p.begin("/events/12")
	<-legacy.arrived
	p.edit("memory: 1MiB", "memory: 2MiB") // another cache: nothing of the old facade stays
	p.hangUp()
	p.expect(`"msg":"configuration reloaded"`)
	close(legacy.release)
	if got := <-answer; got.err != nil || got.status != http.StatusOK {
		t.Errorf("the request under way got %+v", got)
	}
	p.terminate()
	if status := p.exitStatus(); status != statusOK {
		t.Errorf("exit status %d, want %d", status, statusOK)
	}
}

// TestReloadUnderLoad reloads while clients ask: no client sees it.
func TestReloadUnderLoad(t *testing.T) {
	binary := build(t)
	p := startServe(t, binary, newSite(t), "cache: {memory: 1MiB}")
	load := ask(t, p.base+"/events/12")
	old := "1MiB"
	for i := range 20 {
		load.awaitRequests(20)
		now := fmt.Sprintf("%dMiB", i+2)
		p.edit("memory: "+old, "memory: "+now)
		p.hangUp()
		if i == 0 { // signals that come together are one
			p.expect("configuration reloaded")
		}
		old = now
	}
	p.expect(`(?s)(configuration reloaded.*){2}`)
	load.awaitRequests(200)
	load.end()
}

// TestActivation restarts a process that got its socket from another, as from
// systemd, while clients ask: no client sees it.
func TestActivation(t *testing.T) {
	t.Parallel()
	binary := build(t)
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
	cfg := writeConfig(t, newSite(t), "")
	begin := func() *program {
		// systemd passes a process its own id.
		cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, binary, "serve", "--config", cfg)
		cmd.ExtraFiles = []*os.File{socket}
		cmd.Env = []string{"HOME=" + t.TempDir(), "LISTEN_FDS=1", "LISTEN_FDNAMES=calfacade.socket", "NOTIFY_SOCKET=" + notes.path}
		p := startCommand(t, cmd)
		notes.want("READY=1")
		return p
	}
	p := begin()
	load := ask(t, "http://"+l.Addr().String()+"/wp-json/calendar/events/v1/events/12")
	for range 3 {
		load.awaitRequests(50)
		p.terminate()
		notes.want("STOPPING=1")
		if status := p.exitStatus(); status != statusOK {
			t.Fatalf("exit status %d, want %d", status, statusOK)
		}
		p = begin()
	}
	load.awaitRequests(50)
	load.end()
	serving{program: p}.hangUp()
	notes.want("RELOADING=1\nMONOTONIC_USEC=")
	notes.want("READY=1")
}

// TestWatchdog: a process notifies systemd repeatedly while it serves.
func TestWatchdog(t *testing.T) {
	t.Parallel()
	binary := build(t)
	notes := listenNotify(t)
	cmd := exec.Command(binary, "serve", "--config", writeConfig(t, newSite(t), ""))
	cmd.Env = []string{"HOME=" + t.TempDir(), "NOTIFY_SOCKET=" + notes.path, "WATCHDOG_USEC=100000"}
	startCommand(t, cmd)
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
	binary := build(t)
	p := startServe(t, binary, newSite(t), "drain_delay: 1h")
	p.terminate()
	p.expect(`"msg":"draining"`)
	res, err := http.Get(p.base + "/events/12")
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
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil { // a second signal ends it at once
		t.Fatal(err)
	}
	p.exitStatus()
}

// TestDemoRedis freezes the Redis of a demo while clients ask: no client sees it.
func TestDemoRedis(t *testing.T) {
	t.Parallel()
	binary := build(t)
	redis, url := processtest.StartRedis(t)
	if redis == nil {
		t.Skip("there is no redis-server")
	}
	p := start(t, binary, "demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--redis", url)
	base := p.expect(`(?m)^  en  (http://\S+)`)[1]
	load := ask(t, base+"/events?per_page=2")
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT, syscall.SIGSTOP} {
		load.awaitRequests(100)
		testwait.Signal(t, redis, signal)
		for n := range 20 { // cold ones
			if res, err := http.Get(fmt.Sprintf("%s/events?search=%d%d", base, signal, n)); err != nil || res.StatusCode != http.StatusOK {
				t.Errorf("after %s: %v %v", signal, res, err)
			} else {
				res.Body.Close()
			}
		}
	}
	load.awaitRequests(100)
	load.end()
}
