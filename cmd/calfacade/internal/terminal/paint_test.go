package terminal

import (
	"bytes"
	"fmt"
	"testing"
)

func TestPaint(t *testing.T) {
	style := func(line string) Style {
		if line == "bad" {
			return Red
		}
		return ""
	}
	var b bytes.Buffer
	p := painter{to: &b, style: style}
	for _, part := range []string{"ba", "d\ngood\n\nba", "d", "\n"} {
		if n, err := fmt.Fprint(&p, part); n != len(part) || err != nil {
			t.Errorf("%q: %d, %v", part, n, err)
		}
	}
	if got, want := b.String(), "\x1b[31mbad\x1b[0m\ngood\n\n\x1b[31mbad\x1b[0m\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if w := Paint(&b, nil, style); w != &b {
		t.Errorf("what is no terminal is painted by %T", w)
	}
}
