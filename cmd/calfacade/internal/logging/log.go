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

// Open returns the log of a valid configuration to w, and a function that writes the last records, for a
// limited time, and stops the log. m counts dropped records.
//
// Logging never waits for w, and a pipe that nobody reads does not end the process: from now on the process
// ignores SIGPIPE. Request records are gathered for at most a second, since each system call costs more than
// a record (BenchmarkLog). All other records, and errors, are written soon.
func Open(c config.Log, w io.Writer, m *telemetry.Metrics) (log *zap.Logger, stop func() error) {
	signal.Ignore(syscall.SIGPIPE)
	level, err := zapcore.ParseLevel(c.Level)
	if err != nil {
		panic("BUG: the level was validated: " + err.Error())
	}
	encoding := zap.NewProductionEncoderConfig()
	encoding.EncodeTime = zapcore.ISO8601TimeEncoder
	encoding.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(encoding)
	onTerminal := terminal.Is(w)
	if c.Format == "console" || c.Format == "auto" && onTerminal {
		encoder = newConsoleEncoder(encoding, onTerminal)
		w = terminal.Writer{Writer: w}
	}
	q := newQueue(w, m.DropRecords, func(dropped int) []byte { return droppedRecord(encoder, dropped) })
	return zap.New(zapcore.NewCore(encoder, q, level), zap.Hooks(func(e zapcore.Entry) error {
		if e.Level >= zapcore.ErrorLevel || e.Message != telemetry.RequestRecord {
			return q.Sync()
		}
		return nil
	})), q.stop
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

// newConsoleEncoder returns the encoder of records for people: on a terminal with a short time.
func newConsoleEncoder(c zapcore.EncoderConfig, onTerminal bool) zapcore.Encoder {
	c.EncodeTime = zapcore.TimeEncoderOfLayout("2006-01-02T15:04:05.000Z0700")
	c.EncodeLevel = zapcore.LowercaseLevelEncoder
	if onTerminal {
		c.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		c.EncodeLevel = zapcore.CapitalLevelEncoder
	}
	return zapcore.NewConsoleEncoder(c)
}
