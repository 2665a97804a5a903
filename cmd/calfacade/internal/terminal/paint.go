package terminal

import (
	"bytes"
	"io"
)

// Style is how a terminal shows a line: an SGR code, or "" for plain text.
type Style string

// The styles.
const (
	Bold   Style = "1"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Paint returns a writer that shows each line in its style if w is a terminal with colours,
// by the variables env; otherwise it returns w. A line is written once it is complete.
func Paint(w io.Writer, env []string, style func(line string) Style) io.Writer {
	if !Is(w) || !HasColours(env) {
		return w
	}
	return &painter{to: w, style: style}
}

type painter struct {
	to    io.Writer
	style func(line string) Style
	line  []byte // incomplete
}

// Write implements [io.Writer].
func (p *painter) Write(data []byte) (int, error) {
	p.line = append(p.line, data...)
	for {
		line, rest, complete := bytes.Cut(p.line, []byte("\n"))
		if !complete {
			return len(data), nil
		}
		text := string(line)
		if s := p.style(text); s != "" {
			text = "\x1b[" + string(s) + "m" + text + "\x1b[0m"
		}
		p.line = rest
		if _, err := io.WriteString(p.to, text+"\n"); err != nil {
			return 0, err
		}
	}
}
