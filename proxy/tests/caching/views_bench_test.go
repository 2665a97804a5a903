package caching_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/view"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// benchFifty returns a list of 50 events of 3 KB each.
func benchFifty() string {
	details := `{"year":"2026","month":"12","day":"01","hour":"18","minutes":"00","seconds":"00"}`
	events := make([]string, 50)
	for i := range events {
		events[i] = fmt.Sprintf(`{"id":%d,"rest_url":"http:\/\/legacy.example\/wp-json\/tribe\/events\/v1\/events\/%[1]d",`+
			`"title":"Poetry &#038; Pints #%[1]d","description":"%s","excerpt":"<p>Short &amp; sweet.<\/p>\n","start_date":"2026-12-01 18:00:00",`+
			`"start_date_details":%[3]s,"end_date_details":%[3]s,"utc_start_date_details":%[3]s,"utc_end_date_details":%[3]s,`+
			`"venue":{"id":7,"venue":"O&#8217;Malley&#8217;s Yard","address":"1 Quay","city":"York"},"organizer":[{"id":8,"organizer":"Society"}],`+
			`"categories":[{"name":"Arts &amp; Crafts","id":3}],"tags":[]}`,
			i+1, strings.Repeat(`<p>An evening on the quay; no booking needed.<\/p>\n`, 36), details)
	}
	return proxytest.Marked(`{"events":[` + strings.Join(events, ",") + `],"rest_url":"x","total":50,"total_pages":1}`)
}

// views of [BenchmarkViews], by name.
var benchViews = []struct{ name, query string }{
	{"whole", ""}, {"fields", "&fields=id,title,start_date,venue.venue"}, {"plain", "&texts=plain"},
	{"both", "&fields=id,title,start_date,venue.venue&texts=plain"},
}

// BenchmarkViews compares hits of views of a list of 50 events with hits of the whole, and both with the work of making
// a view. Bytes are those of the body.
func BenchmarkViews(b *testing.B) {
	list := benchFifty()
	legacy := httptest.NewServer(facadetest.Sends(http.StatusOK, list))
	b.Cleanup(legacy.Close)
	f := facadetest.NewBenchFacadeWith(b, func(o *proxy.Options) { o.Site[0].Upstream = legacy.URL + "/wp-json" })
	for _, v := range benchViews {
		req := httptest.NewRequest(http.MethodGet, "/wp-json/calendar/events/v1/events?per_page=50"+v.query, nil)
		zipped := req.Clone(req.Context())
		zipped.Header["Accept-Encoding"] = []string{"gzip"}
		for name, r := range map[string]*http.Request{"plain": req, "gzip": zipped} {
			w := &facadetest.Sink{Fields: http.Header{}}
			w.Serve(f, r)
			b.Run("hit/"+v.name+"/"+name, func(b *testing.B) {
				facadetest.Repeat(b, f, r, http.StatusOK)
				b.ReportMetric(float64(w.Bytes), "bytes")
			})
		}
		if v.query == "" {
			continue
		}
		node, err := mapping.DecodeForm(v.query[1:])
		if err != nil {
			b.Fatal(err)
		}
		call, err := mapping.Parse(mappingtest.Row(b, "events.list"), http.MethodGet, mapping.Input{Query: node, Extensions: true}, mapping.Drop)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("make/"+v.name, func(b *testing.B) {
			b.SetBytes(int64(len(list)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := view.Of(call, []byte(list)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
