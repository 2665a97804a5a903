package logging

import (
	"io"

	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
)

// consoleEncoder writes records for people. It escapes what a terminal would interpret.
type consoleEncoder struct {
	zapcore.Encoder        // of messages and fields
	layout          string // of the time
	level           func(zapcore.Level) string
}

var buffers = buffer.NewPool()

// newConsoleEncoder returns the encoder for w: for a terminal with a short time, and levels in
// colours unless env forbids them.
func newConsoleEncoder(c zapcore.EncoderConfig, w io.Writer, env []string) zapcore.Encoder {
	c.TimeKey, c.LevelKey = "", ""
	e := consoleEncoder{zapcore.NewConsoleEncoder(c), "2006-01-02T15:04:05.000Z0700", zapcore.Level.String}
	if terminal.Is(w) {
		e.layout, e.level = "15:04:05.000", zapcore.Level.CapitalString
		if terminal.HasColours(env) {
			e.level = colouredLevel
		}
	}
	return e
}

// Clone implements [zapcore.Encoder].
func (e consoleEncoder) Clone() zapcore.Encoder {
	e.Encoder = e.Encoder.Clone()
	return e
}

// EncodeEntry implements [zapcore.Encoder].
func (e consoleEncoder) EncodeEntry(entry zapcore.Entry, fields []zapcore.Field) (*buffer.Buffer, error) {
	rest, err := e.Encoder.EncodeEntry(entry, fields)
	if err != nil {
		return nil, err
	}
	defer rest.Free()
	line := buffers.Get()
	line.AppendTime(entry.Time, e.layout)
	line.AppendByte('\t')
	line.AppendString(e.level(entry.Level))
	line.AppendByte('\t')
	_, err = terminal.Writer{Writer: line}.Write(rest.Bytes())
	return line, err
}

// colours are the SGR codes of the levels; others are errors.
var colours = map[zapcore.Level]string{zapcore.DebugLevel: "35", zapcore.InfoLevel: "34", zapcore.WarnLevel: "33"}

func colouredLevel(l zapcore.Level) string {
	code, known := colours[l]
	if !known {
		code = "31"
	}
	return "\x1b[" + code + "m" + l.CapitalString() + "\x1b[0m"
}
