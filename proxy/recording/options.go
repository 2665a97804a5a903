package recording

import (
	"time"

	"go.uber.org/zap"
)

// Options configure a [Recorder].
type Options struct {
	Dir      string    // created if missing; a recording of the same backends is continued
	Backends []Backend // at least one
	Private  bool      // record calls with credentials or a password too, without these

	Checked Checked // progress of checking a recording that is continued; nil shows nothing

	MaxCalls int   // different calls; 0 is 10,000
	MaxBytes int64 // of all files; 0 is 256 MiB
	MaxBody  int64 // bytes of a response; 0 is 32 MiB

	Program string           // version of the program, stored in the recording
	Log     *zap.Logger      // nil logs nothing
	Clock   func() time.Time // nil is time.Now
}

func (o Options) withDefaults() Options {
	if o.MaxCalls == 0 {
		o.MaxCalls = 10_000
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 256 << 20
	}
	if o.MaxBody == 0 {
		o.MaxBody = 32 << 20
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

// Counts are the numbers of responses by what became of them.
type Counts struct {
	Kept    uint64 // written, the replacements of earlier ones included
	Private uint64 // not written: the call has credentials or a password
	Foreign uint64 // not written: the call is to an unknown root, or its body is not JSON
	Broken  uint64 // not written: not read to the end, or larger than MaxBody
	Dropped uint64 // not written: the disk did not keep up
	Beyond  uint64 // not written: the recording is full
	Failed  uint64 // not written: the disk reported an error
}
