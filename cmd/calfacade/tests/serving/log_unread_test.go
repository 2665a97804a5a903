//go:build !race

package serving_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestLogUnread: the reader of stderr goes away, another one comes, and stalls: misses, purges and the
// end on SIGTERM go on.
func TestLogUnread(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	fifo := filepath.Join(t.TempDir(), "log")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	site := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxytest.WriteItem(w, `{"id":%s}`, path.Base(r.URL.Path))
	}))
	sockets := processtest.NewSockets(t)
	cmd := exec.Command(binary, "serve", "--config", processtest.WriteConfig(t, site, "admin: {token: first-0123456789}"))
	cmd.Env = []string{"HOME=" + t.TempDir(), "LOG=" + fifo}
	sockets.Pass(cmd)
	cmd.Args[2] += ` 2>"$LOG"`
	p := processtest.Serving{
		Program: processtest.StartCommand(t, cmd),
		Base:    "http://" + sockets.Public + "/wp-json/calendar/events/v1",
		Admin:   "http://" + sockets.Admin,
	}
	missed := 0
	miss := func() { // records of some 100 KiB, more than a pipe holds
		for range 300 {
			missed++
			p.Get(fmt.Sprintf("/events/%d", missed))
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Admin+"/purge", strings.NewReader(`{"all":true}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer first-0123456789")
		if res, body := processtest.Send(t, r); res.StatusCode != http.StatusOK {
			t.Errorf("purge: %d %s", res.StatusCode, body)
		}
	}
	reader := readUntil(t, fifo, `"msg":"serving"`)
	reader.Close()
	miss()
	p.Eventually("dropped records are counted", func() bool { return !strings.Contains(p.Metrics(), "calfacade_log_dropped_total 0\n") })
	defer readUntil(t, fifo, `"msg":"log records were dropped, since nothing read them","records":`).Close()
	miss() // unread
	miss()
	if status := p.Stop(); status != processtest.StatusOK {
		t.Errorf("exit status %d", status)
	}
}

// readUntil reads a log until a record has a text, and returns it open.
func readUntil(t *testing.T, fifo, text string) *os.File {
	t.Helper()
	log, err := os.OpenFile(fifo, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.SetReadDeadline(time.Now().Add(processtest.Patience)); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			return log
		}
	}
	log.Close()
	t.Fatalf("the log has no %s: %v", text, lines.Err())
	return nil
}
