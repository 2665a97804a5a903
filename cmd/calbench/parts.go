package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/calfacade/calfacade/cmd/internal/memory"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// fiveParameters is the query of the measured key.
const fiveParameters = "per_page=20&page=2&start_date=2026-01-01&categories=12,7&search=jazz+night"

// measureParts measures the parts of a request, without a network.
func measureParts(ctx context.Context, p process) error {
	defer runtime.KeepAlive(memory.Ballast()) // as the facade has it
	list, single := legacyPages()
	row := eventList()
	rewriter := rewrite.New(mapping.Backend{Dialect: mapping.Tribe, LanguageParam: "wpml_language"},
		[]rewrite.Root{{Language: "en", Upstream: siteURL + "/wp-json", Public: publicURL + "/wp-json"}}, rewrite.Spellings{})
	key := func() *mapping.Call {
		query, err := mapping.DecodeQuery(fiveParameters)
		must(err)
		call, err := mapping.Parse(row, http.MethodGet, mapping.Input{Query: query}, mapping.Drop)
		must(err)
		call.Key("en")
		return call
	}
	call := key()
	rewrite := func(body []byte) float64 {
		ns, _ := repeat(func() {
			_, err := rewriter.Rewrite(ctx, call, 0, http.StatusOK, body)
			must(err)
		})
		return float64(len(body)) / ns * 1000
	}
	keyTime, keyAllocs := repeat(func() { key() })
	checks := []check{
		// Hits on known targets parse nothing. Before a call that takes the site 40 ms, 2 µs are a 20,000th.
		{Name: "key from a query of five parameters (decode, parse, key)", Got: keyTime / 1000, Unit: "µs", Limit: 2},
		{Name: "allocations of that key", Got: keyAllocs, Unit: "allocations"},
		{Name: "rewriting the list", Got: rewrite(list.body), Unit: "MB/s", Limit: 150, Minimum: true},
		{Name: "rewriting the single", Got: rewrite(single.body), Unit: "MB/s", Limit: 150, Minimum: true},
	}
	facade, bare, err := hitAllocs(list.body)
	if err != nil {
		return err
	}
	checks = append(checks, check{Name: "allocations of a memory hit above the bare handler's", Got: facade - bare, Unit: "allocations", Limit: 10})
	return json.NewEncoder(p.stdout).Encode(checks)
}

// hitAllocs counts the allocations of a hit in the handlers alone.
func hitAllocs(body []byte) (facade, bare float64, err error) {
	site := httptest.NewServer(staticOrigin())
	defer site.Close()
	f, _, stop, err := facadeOptions{origin: site.URL, cached: true}.build()
	if err != nil {
		return 0, 0, err
	}
	defer stop()
	router := httprouter.New()
	router.GET("/wp-json/"+mapping.Namespace+"/events", ready(body))
	in := newRequest("/wp-json/" + mapping.Namespace + "/events" + listQuery)
	count := func(h http.Handler) float64 {
		w := &discard{header: http.Header{}}
		_, n := repeat(func() {
			clear(w.header)
			h.ServeHTTP(w, in)
		})
		return n
	}
	return count(f), count(router), nil
}

// repeat returns the nanoseconds and allocations of f: the minimum of ten runs, because
// disturbances only add to the time.
func repeat(f func()) (ns, allocs float64) {
	f()
	time.Sleep(50 * time.Millisecond) // for background work of f
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, times := 0, make([]float64, 10)
	for i := range times {
		began, count := time.Now(), 0
		for time.Since(began) < 100*time.Millisecond {
			for range 20 {
				f()
			}
			count += 20
		}
		times[i] = float64(time.Since(began).Nanoseconds()) / float64(count)
		n += count
	}
	runtime.ReadMemStats(&after)
	return slices.Min(times), float64((after.Mallocs - before.Mallocs) / uint64(n))
}

func eventList() *mapping.Endpoint {
	for _, e := range mapping.Rows("/events") {
		if e.Action == mapping.List {
			return e
		}
	}
	panic("BUG: the table has no list of events")
}

func must(err error) {
	if err != nil {
		panic("BUG: " + err.Error())
	}
}
