//go:build !race

package instances_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestKilledCreate kills an instance between the site's response to a create and its own. The client repeats the create at
// the other instance: the create is not sent again, and the response names the item that the site has made.
func TestKilledCreate(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	server, url := processtest.StartRedis(t)
	if server == nil {
		t.Skip("redis-server is not installed")
	}
	arrived := make(chan struct{})
	killed := make(chan struct{})
	var creates atomic.Int32
	legacy := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		made := proxytest.Marked(fmt.Sprintf(`{"id":7,"venue":"Hall","slug":"hall","rest_url":"http://x/","modified_utc":%q}`,
			time.Now().UTC().Format(time.DateTime)))
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodPost {
			_, _ = fmt.Fprintf(w, `{"venues":[%s],"total":1,"total_pages":1,"rest_url":"http://x/"}`, made)
			return
		}
		if creates.Add(1) == 1 {
			close(arrived)
			<-killed
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprint(w, made)
	}))
	cfg := fmt.Sprintf("cache: {redis: '%s', redis_timeout: 2s}", url)
	first := processtest.StartServe(t, binary, legacy, cfg)
	second := processtest.StartServe(t, binary, legacy, cfg)
	create := func(s processtest.Serving) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Base+"/venues", strings.NewReader(`{"venue":"Hall"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth("editor", "secret")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(idempotency.Field, `"a"`)
		return r
	}
	outcome := processtest.Begun(create(first))
	<-arrived
	if res, body := processtest.Send(t, create(second)); res.StatusCode != http.StatusConflict {
		t.Errorf("in progress: %d %s", res.StatusCode, body)
	}
	first.Kill()
	close(killed)
	if got := <-outcome; got.Err == nil {
		t.Fatalf("the client got a response: %+v", got)
	}
	var status int
	var body []byte
	processtest.Eventually(t, "the claim of the killed instance is over", func() bool {
		var res *http.Response
		res, body = processtest.Send(t, create(second))
		status = res.StatusCode
		return status != http.StatusConflict
	})
	if status != http.StatusGatewayTimeout || !strings.Contains(string(body), "calendar_write_outcome_unknown") ||
		!strings.Contains(string(body), ": 7.") {
		t.Errorf("%d %s", status, body)
	}
	if n := creates.Load(); n != 1 {
		t.Errorf("%d creates were sent", n)
	}
}
