package proxy

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSeldom(t *testing.T) {
	s := seldom{every: time.Hour}
	begin := time.Unix(1_800_000_000, 0)
	var got []bool
	for _, after := range []time.Duration{0, time.Minute, time.Hour - 1, time.Hour, time.Hour + 1, 3 * time.Hour} {
		got = append(got, s.due(begin.Add(after)))
	}
	if diff := cmp.Diff([]bool{true, false, false, true, false, true}, got); diff != "" {
		t.Errorf("due (-want +got):\n%s", diff)
	}
}
