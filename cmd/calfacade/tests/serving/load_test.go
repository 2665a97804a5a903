//go:build !race

package serving_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

func ask(t *testing.T, url string) *processtest.Load {
	ctx, stop := context.WithCancel(t.Context())
	l := &processtest.Load{T: t, Stop: stop, Changed: make(chan struct{}, 1)}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	t.Cleanup(client.CloseIdleConnections)
	for range 8 {
		l.Clients.Go(func() {
			for ctx.Err() == nil {
				l.Once(client, url)
			}
		})
	}
	return l
}
