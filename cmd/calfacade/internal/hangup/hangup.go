// Package hangup catches SIGHUP from the beginning of the process on. Otherwise a SIGHUP ends a process that
// starts: packages are initialized before main, and a busy machine takes half a second for them. This package
// is initialized early, since hangup imports next to nothing.
package hangup

import (
	"os"
	"os/signal"
	"syscall"
)

var signals = make(chan os.Signal, 1)

func init() { signal.Notify(signals, syscall.SIGHUP) }

// Signals returns the channel of SIGHUP since the beginning. Several signals before the first receive count
// as one.
func Signals() <-chan os.Signal { return signals }

// Default restores the default effect of SIGHUP, which ends a process that does not reload.
func Default() { signal.Reset(syscall.SIGHUP) }
