package report

import (
	"strings"
	"testing"
)

// show returns pieces as a text, with what changed in brackets.
func show(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.Changed {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestMarked(t *testing.T) {
	for _, test := range []struct{ want, got, marked, other string }{
		{"", "", "", ""},
		{"a", "", "[a]", ""},
		{"same", "same", "same", "same"},
		{"Quai Neuf", "Quai Neuf (planted)", "Quai Neuf", "Quai Neuf[ (planted)]"},
		{"2026-12-25 18:00:00", "2026-12-26 18:00:00", "2026-12-[25] 18:00:00", "2026-12-[26] 18:00:00"},
		{"string 2", "number 2", "[string] 2", "[number] 2"},
		{"one two three", "one three", "one [two ]three", "one three"},
		{"café au lait", "cafe\u0301 au lait", "[café] au lait", "[cafe\u0301] au lait"},
		{"<b>a</b>", "<i>a</i>", "<[b]>a</[b]>", "<[i]>a</[i]>"},
		{"12,13", "13,12", "[12,]13", "13[,12]"},
	} {
		a, b := marked(test.want, test.got)
		if show(a) != test.marked || show(b) != test.other {
			t.Errorf("%q and %q: %q and %q, want %q and %q", test.want, test.got, show(a), show(b), test.marked, test.other)
		}
	}
}

// FuzzMarked: pieces joined are the text, and what is not marked is the same in both.
func FuzzMarked(f *testing.F) {
	f.Add("one two", "one 2")
	f.Add("\xff é", "e\u0301")
	f.Fuzz(func(t *testing.T, want, got string) {
		if len(want) > 500 || len(got) > 500 {
			return
		}
		a, b := marked(want, got)
		var all, same [2]string
		for i, pieces := range [][]piece{a, b} {
			for _, p := range pieces {
				all[i] += p.Text
				if !p.Changed {
					same[i] += p.Text
				}
			}
		}
		if all[0] != want || all[1] != got || same[0] != same[1] {
			t.Errorf("%q and %q: %v and %v", want, got, a, b)
		}
	})
}

func TestVisible(t *testing.T) {
	if got := visible("é\x1b[31m\n\u202eabc \U0001F600"); got != `é\x1b[31m`+"\n"+`\u202eabc 😀` {
		t.Errorf("%q", got)
	}
}
