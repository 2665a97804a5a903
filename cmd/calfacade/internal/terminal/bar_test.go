package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLines: without a terminal there is a line every few seconds, and no bar.
func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		b := NewBar(&out, "diff")
		b.Describe("en events")
		for range 12 {
			time.Sleep(time.Second) // of the bubble
			b.Add()
		}
		b.Expect(8)
		time.Sleep(lineEvery)
		b.Add()
		b.Close()
		if want := "en events: 5\nen events: 10\nen events: 13 of 20, "; !strings.HasPrefix(out.String(), want) ||
			strings.Count(out.String(), "\n") != 3 {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	})
}
