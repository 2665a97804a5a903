package admin_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy/onward"
)

// TestStatusOnward: the page has the targets of purges and how many each has refused, without their
// secrets, and text of others is escaped.
func TestStatusOnward(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.signIn()
	d := onward.New(nil)
	o.options.Onward = d
	if page := o.page(); strings.Contains(page, "onward-title") || strings.Contains(page, "Purges to") {
		t.Errorf("targets, although there are none: %s", page)
	}
	var accepts atomic.Bool
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !accepts.Load() {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<i>opensesame</i>"))
		}
	}))
	t.Cleanup(target.Close)
	d.Configure(onward.Plan{Targets: []onward.Target{
		{Name: "<b>front", Kind: onward.Webhook, URL: target.URL + "/opensesame", Token: "opensesame", Secret: "opensesame",
			Timeout: testwait.Limit},
	}})
	t.Cleanup(func() { d.Close(context.Background()) })
	refused := func(n int) {
		testwait.Until(t, "it is refused", func() bool {
			s := d.Couriers()[0].Status()
			return s.Refused == n && s.Waiting == 0
		})
	}
	refused(1) // everything, at the start
	d.Purged(nil, cache.Purged{Purge: cache.Purge{Tags: []string{"<script>", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
		"k"}}, Local: true})
	refused(2)
	page := o.page()
	for _, want := range []string{
		"<strong>Purges to &lt;b&gt;front: has refused purges</strong>", "calfacade purge --replay; the last failure here: status 403",
		`<th scope="row">&lt;b&gt;front <small>webhook</small></th>`,
		`<td>each instance</td><td class="number">0</td><td class="number">0</td><td class="number">–</td><td class="number">2</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page[strings.Index(page, "<main"):])
		}
	}
	for _, bad := range []string{"opensesame", "<script>, a", "<b>front"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	accepts.Store(true)
	d.Couriers()[0].Replay(t.Context())
	if page := o.page(); strings.Contains(page, "Purges to") ||
		!strings.Contains(page, `<td>each instance</td><td class="number">2</td><td class="number">0</td><td class="number">–</`+
			`td><td class="number">0</td>`) {
		t.Errorf("after a replay: %s", page)
	}
}
