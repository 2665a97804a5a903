package terminal

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	var b bytes.Buffer
	l := NewLine(&b)
	want := func(name, text string) {
		t.Helper()
		if got := b.String(); got != text {
			t.Errorf("%s: got %q, want %q", name, got, text)
		}
		b.Reset()
	}
	write := func(text string) {
		t.Helper()
		if n, err := io.WriteString(l, text); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	write("a record\n")
	want("without a line", "a record\n")
	l.Set("1 of 2")
	want("set", "\r\x1b[K1 of 2")
	l.Set("1 of 2")
	want("the same again", "")
	write("two\nrecords\n")
	want("a record", "\r\x1b[Ktwo\nrecords\n1 of 2")
	write("half ")
	l.Set("2 of 2")
	write("a record\n")
	want("a record in two parts", "\r\x1b[Khalf a record\n2 of 2")
	l.Set("path " + hostile + strings.Repeat("x", 100))
	if got := []rune(strings.TrimPrefix(b.String(), removeLine)); len(got) != maxLine || strings.ContainsRune(string(got), 0x1b) {
		t.Errorf("a long line: %q", string(got))
	}
	b.Reset()
	l.Set("")
	want("removed", "\r\x1b[K")
	write("the end\n")
	want("after it", "the end\n")
}

// hostile would clear a terminal.
const hostile = "A\x1b[2JB"

func TestIs(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for name, out := range map[string]io.Writer{"a buffer": new(bytes.Buffer), "a pipe": w, "a line on a pipe": NewLine(w)} {
		if Is(out) {
			t.Errorf("%s is a terminal", name)
		}
	}
}

func TestHasColours(t *testing.T) {
	for env, want := range map[string]bool{
		"": true, "TERM=xterm-256color": true, "NO_COLOR=": true, "NO_COLOR=1": false, "TERM=dumb": false, "HOME=/ NO_COLOR=0": false,
	} {
		if got := HasColours(strings.Fields(env)); got != want {
			t.Errorf("%q: %t, want %t", env, got, want)
		}
	}
	for env, want := range map[string]bool{"": false, "WT_SESSION=1": true, "WT_SESSION=1 NO_COLOR=1": false} {
		if got := hasColours("windows", strings.Fields(env)); got != want {
			t.Errorf("Windows, %q: %t, want %t", env, got, want)
		}
	}
}
