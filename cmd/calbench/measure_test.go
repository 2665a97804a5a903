package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// TestCompare: a ratio is the median of those within each round, not that of the
// medians.
func TestCompare(t *testing.T) {
	base := []sample{{cpu: 10, p50: 1, p99: 2}, {cpu: 20, p50: 1, p99: 2}, {cpu: 40, p50: 1, p99: 2}}
	got := compare(row{by: byCPU}, []sample{{cpu: 20, p50: 1, p99: 6}, {cpu: 22, p50: 2, p99: 4}, {cpu: 60, p50: 3, p99: 2}}, base)
	if got.of(byCPU) != (ratio{1.5, 1.1, 2}) || got.of(byP50) != (ratio{2, 1, 3}) || got.of(byP99) != (ratio{2, 1, 3}) {
		t.Errorf("got %+v", got)
	}
}

func TestMiddle(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{4, 1}, 2.5},
		{[]float64{9, 1, 2}, 2},
		{[]float64{8, 1, 3, 2}, 2.5},
	} {
		if got := middle(test.values); got != test.want {
			t.Errorf("middle(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}

// TestMedians: the figures of a row are medians of its own samples, also without a
// base.
func TestMedians(t *testing.T) {
	samples := []sample{{rate: 1, p50: 30, p99: 3, cpu: 7, fetched: 0.5}, {rate: 3, p50: 10, p99: 1, cpu: 9}, {rate: 2, p50: 20, p99: 2, cpu: 8}}
	got := compare(row{by: byCPU}, samples, nil)
	want := sample{rate: 2, p50: 20, p99: 2, cpu: 8}
	if got.middle != want || !got.alone || got.of(byCPU) != (ratio{}) {
		t.Errorf("got %+v, want %+v alone", got, want)
	}
}

// TestRounds: a row that failed once has no samples that count.
func TestRounds(t *testing.T) {
	taken := rounds{samples: map[string][]sample{}, failed: map[string]error{}}
	taken.add("a", sample{rate: 1}, nil)
	if !taken.ran("a") || taken.ran("b") {
		t.Error("a ran, and b did not")
	}
	gone := errors.New("gone")
	taken.add("b", sample{}, gone)
	if !taken.ran("b") || taken.row(row{name: "b"}).failed != gone {
		t.Errorf("got %+v", taken.row(row{name: "b"}))
	}
}

// TestDelayEnds: a group after one with a slow origin has a fast one.
func TestDelayEnds(t *testing.T) {
	var delays []string
	origin := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { delays = append(delays, r.URL.RawQuery) }))
	defer origin.Close()
	b := &lab{servers: map[string]*server{"origin": {url: origin.URL}}}
	if _, err := b.measure(t.Context(), group{delay: time.Second}, bodyList, io.Discard); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1s", "0s"}; !slices.Equal(delays, want) {
		t.Errorf("delays are %q, want %q", delays, want)
	}
}
