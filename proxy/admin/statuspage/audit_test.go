package statuspage_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/proxy/audit"
)

// TestStatusAudit: the page has the results of audits, and warns while a stale response is served.
func TestStatusAudit(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.now = time.Now().Add(time.Minute)
	o.signIn()
	if page := o.page(); strings.Contains(page, "audit-title") {
		t.Errorf("audits, although there are none: %s", page)
	}
	o.options.Audit = new(audit.Ledger)
	if page := o.page(); !strings.Contains(page, "audit-title") || !strings.Contains(page, "<dd>0 (0 to 1,000,000)</dd>") || strings.Contains(page, "Stale answers</strong>") {
		t.Errorf("without a sample: %s", page)
	}
	a := staleAudit(t, o.options.Audit)
	for end := time.Now().Add(time.Minute); o.options.Audit.Stats(time.Now()).Oldest == 0; {
		if time.Now().After(end) {
			t.Fatal("nothing is found")
		}
		if a.Wants() {
			a.Audit(staleSample(t))
		}
	}
	page := o.page()
	for _, want := range []string{
		"<strong>Stale answers</strong> <small>",
		"<strong>not decided yet</strong>", "en /events/5<br><small>events:5, events:any; title: value</small>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	a.Close()
	if page := o.page(); !strings.Contains(page, "<strong>within ttl</strong>") || !strings.Contains(page, "within ttl: No purge of the site has arrived within a day, or since the start") {
		t.Errorf("without the cause: %s", page)
	}
}

// staleAudit audits a cache with an event that the site has changed.
func staleAudit(t *testing.T, l *audit.Ledger) *audit.Auditor {
	c := cache.New(cache.Options{})
	t.Cleanup(c.Close)
	_, err := c.Serve(t.Context(), true, "k", func(context.Context) (cache.Fetched, error) {
		return cache.Fetched{Entry: &cache.Entry{Status: 200, Body: []byte(`{"id":5,"title":"old"}`), Life: cache.Life{Fresh: time.Hour}}, Store: true, Share: true}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	comparer, err := compare.Rules{}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	a := audit.New(audit.Options{Interval: time.Hour / 1e6, Grace: time.Nanosecond, Late: time.Hour, Ledger: l, Cache: c, Comparer: comparer})
	t.Cleanup(a.Close)
	return a
}

func staleSample(t *testing.T) audit.Sample {
	call, err := mapping.Parse(mappingtest.Row(t, "events.read"), http.MethodGet, mapping.Input{Item: "5"}, mapping.Drop)
	if err != nil {
		t.Fatal(err)
	}
	return audit.Sample{Key: "k", Call: call, Shown: "/events/5", Backend: "legacy", Language: "en", Read: func(context.Context) (compare.Document, error) {
		return compare.Document{Status: 200, Body: []byte(`{"id":5,"title":"new"}`)}, nil
	}}
}
