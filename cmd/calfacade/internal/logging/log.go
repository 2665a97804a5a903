package logging

import (
	"io"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// Open returns the log of a valid configuration to w, and a function that writes the last records,
// for a limited time, and stops it. env are the variables of the process, and m counts dropped
// records.
//
// Logging never waits for w, and a pipe that nobody reads is not the end of the process: from now
// on it ignores SIGPIPE. Request records are gathered for at most a second, since each system call
// costs more than a record (BenchmarkLog). All other records, and errors, are written soon.
func Open(c config.Log, w io.Writer, env []string, m *telemetry.Metrics) (log *zap.Logger, stop func() error) {
	signal.Ignore(syscall.SIGPIPE)
	level, err := zapcore.ParseLevel(c.Level)
	if err != nil {
		panic("BUG: the level was validated: " + err.Error())
	}
	encoding := zap.NewProductionEncoderConfig()
	encoding.EncodeTime = zapcore.ISO8601TimeEncoder
	encoding.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(encoding)
	if c.Format == "console" || c.Format == "auto" && terminal.Is(w) {
		encoder = newConsoleEncoder(encoding, w, env)
	}
	q := newQueue(w, m.DropRecords, func(dropped int) []byte { return droppedRecord(encoder, dropped) })
	return zap.New(promptCore{zapcore.NewCore(encoder, q, level)}), q.stop
}

// droppedRecord returns the record of dropped records.
func droppedRecord(encoder zapcore.Encoder, dropped int) []byte {
	line, err := encoder.EncodeEntry(zapcore.Entry{Level: zapcore.WarnLevel, Time: time.Now(),
		Message: "log records were dropped, since nothing read them"},
		[]zapcore.Field{zap.Int("records", dropped)})
	if err != nil {
		panic("BUG: a record of a number cannot be encoded: " + err.Error())
	}
	return line.Bytes()
}

// promptCore flushes after each record, except for successful requests.
type promptCore struct{ zapcore.Core }

// With implements [zapcore.Core].
func (c promptCore) With(fields []zapcore.Field) zapcore.Core { return promptCore{c.Core.With(fields)} }

// Check implements [zapcore.Core].
func (c promptCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return checked.AddCore(e, c)
	}
	return checked
}

// Write implements [zapcore.Core].
func (c promptCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	err := c.Core.Write(e, fields)
	if e.Level >= zapcore.ErrorLevel || e.Message != telemetry.RequestRecord {
		return c.Sync()
	}
	return err
}

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
