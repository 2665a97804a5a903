package statuspage

import (
	"math"
	"testing"
)

func TestQuantile(t *testing.T) {
	bounds := []float64{0.1, 0.2, 0.4}
	for _, test := range []struct {
		name  string
		below []float64
		all   float64
		q     float64
		want  float64 // ms
	}{
		{"the first bucket", []float64{10, 10, 10}, 10, 0.5, 50},
		{"within a bucket", []float64{50, 90, 100}, 100, 0.95, 300},
		{"the end of a bucket", []float64{50, 90, 100}, 100, 0.5, 100},
		{"an empty bucket between", []float64{50, 50, 100}, 100, 0.75, 300},
		{"longer than the last", []float64{0, 0, 1}, 100, 0.5, 400},
	} {
		l := latency{bounds: bounds, below: test.below, all: test.all}
		if got := l.quantile(test.q); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", test.name, got, test.want)
		}
	}
	if got := (latency{}).quantile(0.5); !math.IsNaN(got) {
		t.Errorf("of nothing: %g, want NaN", got)
	}
	l := latency{bounds: bounds, below: []float64{5, 7, 9}, all: 9}
	if d := l.since(latency{bounds: bounds, below: []float64{5, 5, 5}, all: 5}); d.all != 4 || d.below[1] != 2 {
		t.Errorf("since: %+v", d)
	}
}
