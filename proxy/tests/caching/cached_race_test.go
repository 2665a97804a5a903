package caching_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestEncodingsAtOnce: clients with and without gzip request one key at the same time: cold
// and warm. Each gets a whole body, and the header fields of
// its coding.
func TestEncodingsAtOnce(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	for page := range 20 {
		line := fmt.Sprintf("GET /events?page=%d", page+1)
		for _, state := range []string{"cold", "warm"} {
			var clients sync.WaitGroup
			bodies := make(chan string, 32)
			tags := make(chan string, 32)
			for i := range cap(bodies) {
				clients.Go(func() {
					accepts := []string{"identity", "gzip"}[i%2]
					res, body := f.Send(line, "Accept-Encoding: "+accepts)
					plain, problem := unpacked(res, body, accepts)
					if problem != "" {
						t.Errorf("%s, %s, %s: %s", line, state, accepts, problem)
					}
					bodies <- plain
					tags <- res.Header.Get("Content-Encoding") + res.Header.Get("Etag")
				})
			}
			clients.Wait()
			close(bodies)
			close(tags)
			if distinct := different(bodies); len(distinct) != 1 || !strings.Contains(distinct[0], "long long") {
				t.Errorf("%s, %s: %d different bodies", line, state, len(distinct))
			}
			if distinct := different(tags); len(distinct) != 2 { // a plain and a compressed one
				t.Errorf("%s, %s: validators %q", line, state, distinct)
			}
		}
	}
}

// unpacked returns the plain body of a response, and the faults of its header.
func unpacked(res *http.Response, body, accepts string) (plain, problem string) {
	coding := res.Header.Get("Content-Encoding")
	tag := res.Header.Get("Etag")
	zipped := coding == "gzip"
	switch {
	case res.StatusCode != http.StatusOK:
		return body, "status " + res.Status
	case coding != "" && coding != accepts:
		return body, "Content-Encoding " + coding
	case res.Header.Get("Content-Length") != strconv.Itoa(len(body)):
		return body, fmt.Sprintf("Content-Length %s of %d bytes", res.Header.Get("Content-Length"), len(body))
	case strings.HasSuffix(tag, `-gzip"`) != zipped || len(tag) < 10:
		return body, "ETag " + tag + " of coding " + coding
	case !strings.Contains(res.Header.Get("Vary"), "Accept-Encoding"):
		return body, "Vary " + res.Header.Get("Vary")
	case !zipped:
		return body, ""
	}
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		return body, err.Error()
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return body, err.Error()
	}
	return string(text), ""
}

func different(values <-chan string) (sorted []string) {
	for s := range values {
		sorted = append(sorted, s)
	}
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
