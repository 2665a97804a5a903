package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// table is a group in the report.
type table struct {
	title  string
	header []string
	rows   [][]string
	failed int
}

// fail adds a row that has the reason why there are no figures.
func (t *table) fail(name string, err error) {
	t.failed++
	why := strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "|", "/")), " ")
	t.rows = append(t.rows, []string{name, "**failed**: " + why})
}

func (t *table) write(w io.Writer) {
	_, _ = fmt.Fprintf(w, "\n## %s\n\n", t.title)
	_, _ = fmt.Fprintf(w, "| %s |\n|---|%s\n", strings.Join(t.header, " | "), strings.Repeat("--:|", len(t.header)-1))
	for _, r := range t.rows {
		r = append(r, make([]string, max(0, len(t.header)-len(r)))...)
		_, _ = fmt.Fprintf(w, "| %s |\n", strings.Join(r, " | "))
	}
}

// series are the samples of a row so far. A row that failed in one round has failed: the ratio of that round
// would be missing.
type series struct {
	row     row
	body    string
	samples []sample
	failed  error
}

// measure returns the table of a group.
func (b *lab) measure(ctx context.Context, g group) table {
	if g.measure != nil {
		return g.measure(ctx, b, g)
	}
	t := table{title: g.title, header: []string{"", "req/s", "CPU ms per 1,000", "p50", "p99", "CPU ×"}}
	for _, body := range []string{bodyList, bodySingle} {
		results := make([]series, len(g.rows))
		for range b.settings.runs {
			base := time.Duration(0)
			for i, r := range g.rows {
				s := &results[i]
				s.row, s.body = r, body
				if s.failed != nil {
					continue
				}
				result, err := b.sample(ctx, g, s)
				if i == 0 {
					base = result.cpu
				}
				result.ratio = float64(result.cpu) / float64(base)
				s.samples = append(s.samples, result)
				s.failed = err
			}
		}
		for _, s := range results {
			t.add(s)
		}
	}
	return t
}

// sample runs a row once. Hits must not reach the origin.
func (b *lab) sample(ctx context.Context, g group, s *series) (result sample, err error) {
	if s.row.request == "http2" && !installed(h2load) {
		return result, fmt.Errorf("%s: %w", h2load, errMissing)
	}
	target, err := b.server(ctx, s.row.server, g.tls)
	if err != nil {
		return result, err
	}
	l, err := b.loadOf(s.body, s.row, g.connections)
	if err != nil {
		return result, err
	}
	b.rounds++
	start := b.rounds * 10_000_000
	if s.row.request == "new" {
		return b.machine.drive(ctx, target, l, b.settings.seconds, start)
	}
	if err := b.warm(ctx, target.url+pathOf(s.body, s.row.server), strings.Contains(s.row.request, "gzip")); err != nil {
		return result, err
	}
	fetched, err := b.fetchedBy(func() (err error) {
		result, err = b.machine.drive(ctx, target, l, b.settings.seconds, start)
		return err
	})
	if err == nil && fetched*1000 > result.requests {
		err = fmt.Errorf("%d of %d requests were no hits", fetched, result.requests)
	}
	return result, err
}

// warm requests a URL until the cache has the response, compressed if zipped.
func (b *lab) warm(ctx context.Context, url string, zipped bool) error {
	var accept []string
	if zipped {
		accept = []string{"gzip"}
	}
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	for {
		var h http.Header
		fetched, err := b.fetchedBy(func() (err error) {
			h, _, err = get(url, accept...)
			return err
		})
		if err != nil || fetched == 0 && (h.Get("Content-Encoding") == "gzip") == zipped {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(errors.New("the cache does not fill"), ctx.Err())
		case <-again.C:
		}
	}
}

// fetchedBy returns how many requests the origin gets while do does.
func (b *lab) fetchedBy(do func() error) (n int, err error) {
	var counts [2]int
	for i := range counts {
		if i > 0 {
			if err := do(); err != nil {
				return 0, err
			}
		}
		_, body, err := get(b.origin + countPath)
		if err != nil {
			return 0, err
		}
		if counts[i], err = strconv.Atoi(string(body)); err != nil {
			return 0, err
		}
	}
	return counts[1] - counts[0], nil
}

// add adds the medians of a row, or why it failed. It leaves a row out whose program is not installed.
func (t *table) add(s series) {
	name := s.row.name + ", " + s.body
	switch {
	case errors.Is(s.failed, errMissing):
		return
	case s.failed != nil:
		t.fail(name, s.failed)
		return
	}
	median := func(value func(sample) float64) float64 {
		var values []float64
		for _, measured := range s.samples {
			values = append(values, value(measured))
		}
		slices.Sort(values)
		n := len(values)
		return (values[(n-1)/2] + values[n/2]) / 2
	}
	t.rows = append(t.rows, []string{
		name,
		fmt.Sprintf("%.0f", median(func(s sample) float64 { return s.rate })),
		fmt.Sprintf("%.2f", median(func(s sample) float64 { return float64(s.cpu) })/float64(time.Millisecond)),
		time.Duration(median(func(s sample) float64 { return float64(s.p50) })).String(),
		time.Duration(median(func(s sample) float64 { return float64(s.p99) })).String(),
		fmt.Sprintf("%.2f", median(func(s sample) float64 { return s.ratio })),
	})
}

// maxClients is the number of clients that send anything but a load.
const maxClients = 20

// httpClient accepts the certificate of the servers, which nobody signed.
var httpClient = &http.Client{
	Transport: &http.Transport{
		DisableCompression: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: maxClients,
	},
	Timeout: 10 * time.Second,
}

// get sends one request, as a client that accepts these codings.
func get(url string, accept ...string) (http.Header, []byte, error) {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, err
	}
	r.Header["Accept-Encoding"] = accept
	res, err := httpClient.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %.200s", url, res.StatusCode, body)
	}
	return res.Header, body, err
}
