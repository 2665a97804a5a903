package processtest

import (
	"crypto/tls"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Scrape reads /metrics.
func (s Serving) Scrape() Scrape {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.Admin+"/metrics", nil)
	if err != nil {
		s.Fatal(err)
	}
	res, body := Send(s.T, r)
	if res.StatusCode != http.StatusOK {
		s.Fatalf("/metrics: %s", res.Status)
	}
	return readScrape(string(body))
}

// Scrape is the result of a scrape, by the name of the metric.
type Scrape map[string]*family

type family struct {
	Kind, Help string
	Labels     map[string]bool
}

var sample = regexp.MustCompile(`^(\w+?)(?:\{(.*)\})? \S+$`)
var labelName = regexp.MustCompile(`(\w+)="`)

// readScrape reads the text format as far as a scrape of our own goes: no value
// of a label has a quote in it.
func readScrape(text string) Scrape {
	s := Scrape{}
	var f *family
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if docLine, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, help, _ := strings.Cut(docLine, " ")
			f = &family{Help: help, Labels: map[string]bool{}}
			s[name] = f
		} else if kind, ok := strings.CutPrefix(line, "# TYPE "); ok {
			_, f.Kind, _ = strings.Cut(kind, " ")
		} else if m := sample.FindStringSubmatch(line); m != nil {
			for _, l := range labelName.FindAllStringSubmatch(m[2], -1) {
				f.Labels[l[1]] = true
			}
		}
	}
	return s
}

// find returns the family of a sample's name.
func (s Scrape) find(name string) *family {
	if f := s[name]; f != nil {
		return f
	}
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		if f := s[strings.TrimSuffix(name, suffix)]; f != nil && f.Kind == "histogram" {
			return f
		}
	}
	return nil
}

// Query is an expression, and a text beside it that shows labels of its result.
type Query struct{ Place, Expr, Shows string }

var (
	selector   = regexp.MustCompile(`\b((?:calfacade|go|process)_\w+|up|ALERTS)\b(?:\{([^}]*)\})?`)
	matcher    = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
	grouping   = regexp.MustCompile(`\b(?:by|without|on)\s*\(([^)]*)\)`)
	references = regexp.MustCompile(`\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}`)
)

// Check fails for a metric or a label that no scrape has.
func (s Scrape) Check(t *testing.T, queries []Query) {
	t.Helper()
	if len(queries) == 0 {
		t.Fatal("no queries")
	}
	for _, q := range queries {
		allowed := map[string]bool{"job": true, "instance": true} // Prometheus adds them
		names := selector.FindAllStringSubmatch(q.Expr, -1)
		if len(names) == 0 {
			t.Errorf("%s: no metric in %s", q.Place, q.Expr)
		}
		for _, m := range names {
			f := s.find(m[1])
			switch m[1] { // series of Prometheus itself
			case "up":
				f = &family{}
			case "ALERTS":
				f = &family{Labels: map[string]bool{"alertname": true, "alertstate": true}}
			}
			if f == nil {
				t.Errorf("%s: no scrape has %s", q.Place, m[1])
				continue
			}
			maps.Copy(allowed, f.Labels)
			for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
				if !f.Labels[l[1]] && l[1] != "job" && l[1] != "instance" {
					t.Errorf("%s: %s has no label %s", q.Place, m[1], l[1])
				}
			}
		}
		groups := grouping.FindAllStringSubmatch(q.Expr, -1)
		var grouped []string
		for _, m := range groups {
			grouped = append(grouped, strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })...)
		}
		for _, l := range grouped {
			if !allowed[l] {
				t.Errorf("%s: nothing in %s has the label %s", q.Place, q.Expr, l)
			}
		}
		for _, m := range references.FindAllStringSubmatch(q.Shows, -1) {
			if !allowed[m[1]] || len(groups) > 0 && !slices.Contains(grouped, m[1]) {
				t.Errorf("%s: the result has no label %s to show", q.Place, m[1])
			}
		}
	}
}

// PrometheusTool returns the path of a program of Prometheus, without which the test is skipped,
// or fails in CI.
func PrometheusTool(t *testing.T, name string) string {
	t.Helper()
	tool, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(name + " is not installed")
	}
	return tool
}

// trusting accepts any certificate.
var trusting = http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

// Visit requests lists, some cached and some not, about 20 a second, until stop is called.
func (s Serving) Visit(paths ...string) (stop func()) {
	end := make(chan struct{})
	ended := make(chan struct{})
	ticker := time.NewTicker(50 * time.Millisecond)
	go func() {
		defer close(ended)
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-end:
				return
			case <-ticker.C:
			}
			path := "/events?per_page=1"
			if n%5 == 0 {
				path += "&end_date=" + time.Date(2100, 1, 1, 0, 0, n, 0, time.UTC).Format("2006-01-02T15:04:05")
			}
			if len(paths) > 0 {
				path = paths[n%len(paths)]
			}
			if res, err := trusting.Get(s.Base + path); err == nil {
				_, _ = io.Copy(io.Discard, res.Body) // so that the next one is on the same connection
				res.Body.Close()
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}
