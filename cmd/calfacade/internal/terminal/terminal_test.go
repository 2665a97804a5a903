package terminal

import "testing"

func TestPrintable(t *testing.T) {
	const (
		hostile  = "A\x1b[2J\x1b]0;x\a\rB\x7f\u009b31mC\u202eD\nE"
		harmless = `A\x1b[2J\x1b]0;x\a\rB\x7f\u009b31mC\u202eD\nE`
	)
	if got := Escape(hostile); got != harmless {
		t.Errorf("got %s", got)
	}
	if got := Escape("\x9b31m"); got != "\ufffd31m" { // a control sequence in Latin-1
		t.Errorf("got %q", got)
	}
	if got := Escape("Größe 10 °C 🎉 \ufffd"); got != "Größe 10 °C 🎉 \ufffd" {
		t.Errorf("got %s", got)
	}
}
