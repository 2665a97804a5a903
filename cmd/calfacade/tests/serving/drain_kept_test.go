//go:build !race

package serving_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestDrainKept ends a process while clients ask on connections that they keep: each
// request is answered, and the last response closes the connection.
func TestDrainKept(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	for _, lane := range []bool{true, false} {
		t.Run(fmt.Sprintf("lane=%v", lane), func(t *testing.T) {
			p := processtest.StartServe(t, binary, processtest.NewSite(t), fmt.Sprintf("lane: %v\ncache: {ttl: {events: 1h}}", lane))
			base, err := url.Parse(p.Base)
			if err != nil {
				t.Fatal(err)
			}
			p.Get("/events/12")
			var clients sync.WaitGroup
			var answers atomic.Int64
			var ended atomic.Pointer[time.Time] // when the process got its signal
			for range 40 {
				clients.Go(func() {
					c := processtest.Dial(t, base.Host)
					r := bufio.NewReader(c)
					for {
						_, _ = fmt.Fprintf(c, "GET %s/events/12 HTTP/1.1\r\nHost: x\r\n\r\n", base.Path)
						began := time.Now()
						res, err := http.ReadResponse(r, nil)
						end := ended.Load()
						if err != nil && end != nil && began.After(end.Add(time.Second)) {
							return // its idle connection was closed
						}
						if err != nil {
							t.Errorf("a request was not answered: %v", err)
							return
						}
						_, _ = io.Copy(io.Discard, res.Body)
						answers.Add(1)
						if res.Close {
							return
						}
					}
				})
			}
			p.Eventually("they ask", func() bool { return answers.Load() > 400 })
			now := time.Now()
			ended.Store(&now)
			p.Terminate()
			clients.Wait()
			if status := p.ExitStatus(); status != processtest.StatusOK {
				t.Errorf("exit status %d", status)
			}
		})
	}
}
