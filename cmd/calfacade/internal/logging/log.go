package logging

import (
	"io"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/zap"
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
	line, err := encoder.EncodeEntry(zapcore.Entry{Level: zapcore.WarnLevel, Time: time.Now(), Message: "log records were dropped, since nothing read them"},
		[]zapcore.Field{zap.Int("records", dropped)})
	if err != nil {
		panic("BUG: a record of a number cannot be encoded: " + err.Error())
	}
	return line.Bytes()
}

// promptCore flushes after each record but those of successful requests.
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
