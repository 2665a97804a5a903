package terminal

import (
	"bytes"
	"io"
	"sync"
)

// maxLine is the maximum length of a status line, in characters: one that wraps cannot be
// removed. Terminals have 80 columns or more.
const maxLine = 79

// removeLine moves to the begin of a line and empties it.
const removeLine = "\r\x1b[K"

// Line is a terminal with a status line below what is written to it. It ignores errors of
// drawing. It is safe for concurrent use.
type Line struct {
	to io.Writer

	mu     sync.Mutex
	text   string // "" for none
	inside bool   // what was written last does not end a line
}

// NewLine returns a terminal without a status line.
func NewLine(to io.Writer) *Line { return &Line{to: to} }

// Set replaces the status line; "" removes it.
func (l *Line) Set(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if short := []rune(Escape(text)); len(short) > maxLine {
		text = string(short[:maxLine-1]) + "…"
	} else {
		text = string(short)
	}
	if text == l.text {
		return
	}
	if l.text = text; !l.inside {
		l.draw(removeLine + text)
	}
}

// Write implements [io.Writer].
func (l *Line) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if l.text != "" && !l.inside {
		l.draw(removeLine)
	}
	n, err := l.to.Write(p)
	if l.inside = !bytes.HasSuffix(p, []byte("\n")); l.text != "" && !l.inside {
		l.draw(l.text)
	}
	return n, err
}

func (l *Line) draw(text string) { _, _ = io.WriteString(l.to, text) }
