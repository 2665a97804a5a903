package main

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// load sends requests from several clients at once.
type load struct {
	*testing.T
	stop     context.CancelFunc
	clients  sync.WaitGroup
	answered atomic.Int64
	failed   atomic.Int64
	changed  chan struct{}
}

func ask(t *testing.T, url string) *load {
	ctx, stop := context.WithCancel(t.Context())
	l := &load{T: t, stop: stop, changed: make(chan struct{}, 1)}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	t.Cleanup(client.CloseIdleConnections)
	for range 8 {
		l.clients.Go(func() {
			for ctx.Err() == nil {
				l.once(client, url)
			}
		})
	}
	return l
}

func (l *load) once(client *http.Client, url string) {
	res, err := client.Get(url)
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	if err != nil || res.StatusCode != http.StatusOK {
		l.failed.Add(1)
		l.Errorf("a request failed: %v", err)
	}
	l.answered.Add(1)
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// awaitRequests waits for n more answers.
func (l *load) awaitRequests(n int64) {
	for enough := l.answered.Load() + n; l.answered.Load() < enough; {
		<-l.changed
	}
}

func (l *load) end() {
	l.stop()
	l.clients.Wait()
	l.Logf("%d requests, %d failed", l.answered.Load(), l.failed.Load())
}
