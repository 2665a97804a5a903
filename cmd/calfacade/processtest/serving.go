package processtest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// Words splits a shell's line; single quotes are the only ones it knows.
func Words(line string) []string {
	var out []string
	var word strings.Builder
	quoted := false
	for _, r := range line + " " {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == ' ' && !quoted:
			if word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return out
}

// Serving is a process that serves a configuration.
type Serving struct {
	*Program
	Base  string // of the namespace
	Admin string
}

// StartServe serves one language from legacy. config are lines of the
// configuration.
func StartServe(t *testing.T, binary, legacy, config string) Serving {
	t.Helper()
	return StartServing(t, binary, "serve", "--config", WriteConfig(t, legacy, config))
}

// StartServing starts a command that serves a configuration, which is the last of
// args.
func StartServing(t *testing.T, binary string, args ...string) Serving {
	t.Helper()
	p := Start(t, binary, args...)
	admin := p.Expect(`"msg":"admin","listen":"([^"]+)"`)
	public := p.Expect(`"msg":"serving","listen":"([^"]+)".*"tls":(true|false),"cache_shape":"[0-9a-f]{8}"`)
	scheme := map[string]string{"true": "https", "false": "http"}[public[2]]
	return Serving{
		Program: p,
		Base:    scheme + "://" + public[1] + "/wp-json/calendar/events/v1",
		Admin:   "http://" + admin[1],
	}
}

// WriteConfig writes a configuration of one language and returns the file.
func WriteConfig(t *testing.T, legacy, lines string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	cfg := fmt.Sprintf(`
listen: 127.0.0.1:0
admin_listen: 127.0.0.1:0
public_url: https://api.example.org
languages: [{code: en, root: /wp-json, upstream: "%s/wp-json"}]
%s
`, legacy, lines)
	if err := os.WriteFile(file, []byte(cfg), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Outcome is the end of a request that was under way.
type Outcome struct {
	Status int
	Body   string
	Err    error
}

// Begin sends a GET and does not wait for the answer.
func (s Serving) Begin(path string) <-chan Outcome {
	s.Helper()
	return s.beginAt(s.Base + path)
}

func (s Serving) beginAt(url string) <-chan Outcome {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, url, nil)
	if err != nil {
		s.Fatal(err)
	}
	return Begun(r)
}

// Begun sends a request and returns its outcome.
func Begun(r *http.Request) <-chan Outcome {
	done := make(chan Outcome, 1)
	go func() {
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			done <- Outcome{Err: err}
			return
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		done <- Outcome{Status: res.StatusCode, Body: string(body), Err: err}
	}()
	return done
}

// NewSite answers every read with an event that has a link of the legacy.
func NewSite(t *testing.T) string {
	var url string
	url = Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		proxytest.WriteItem(w, `{"id":12,"rest_url":"%s/wp-json/tribe/events/v1/events/12"}`, url)
	}))
	return url
}

// Edit replaces the configuration of a process.
func (s Serving) Edit(old, now string) {
	s.Helper()
	file := s.Cmd.Args[len(s.Cmd.Args)-1]
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

// HangUp sends SIGHUP.
func (s Serving) HangUp() {
	s.Helper()
	if err := s.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
		s.Fatal(err)
	}
}

// Get returns the body of a response.
func (s Serving) Get(path string) string {
	s.Helper()
	got := <-s.Begin(path)
	if got.Err != nil || got.Status != http.StatusOK {
		s.Fatalf("GET %s: %+v", path, got)
	}
	return got.Body
}

// StatusPage returns the status page of a process without an admin.token.
func (s Serving) StatusPage() string {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.Admin+"/status/", nil)
	if err != nil {
		s.Fatal(err)
	}
	res, body := Send(s.T, r)
	if res.StatusCode != http.StatusOK {
		s.Fatalf("/status/: %s", res.Status)
	}
	return string(body)
}

// Value returns the value of a metric without labels, as a scrape shows it; "" without a value.
func (s Serving) Value(metric string) string {
	s.Helper()
	if m := regexp.MustCompile("(?m)^" + metric + " (.*)$").FindStringSubmatch(s.Metrics()); m != nil {
		return m[1]
	}
	return ""
}

// Eventually waits until a condition holds.
func (s Serving) Eventually(condition string, ok func() bool) {
	s.Helper()
	Eventually(s.T, condition, ok)
}

// Metrics returns what a scrape shows.
func (s Serving) Metrics() string {
	s.Helper()
	res, err := http.Get(s.Admin + "/metrics")
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return string(body)
}

// VersionPattern matches the version in a name that Versions serves.
var VersionPattern = regexp.MustCompile(`version (\d+)`)

// Signal sends a signal to the process.
func (s Serving) Signal(sig syscall.Signal) {
	s.Helper()
	testwait.Signal(s.T, s.Cmd.Process, sig)
}

// Purge sends a request to /purge, which must accept it.
func (s Serving) Purge(body string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.Admin+"/purge", strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+TestToken)
	r.Header.Set("Content-Type", "application/json")
	if res, body := Send(s.T, r); res.StatusCode != http.StatusOK && res.StatusCode != http.StatusAccepted {
		s.Fatalf("status %d %s", res.StatusCode, body)
	}
}
