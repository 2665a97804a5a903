// Command calfacade serves the neutral calendar namespace in front of a legacy
// site.
//
// Each command has a separate file; commands.go lists them, and help, completions, the
// manual page and docs/commands.md are made from that list.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
)

func main() {
	// net/http logs unsolicited responses of a site verbatim, secrets included.
	log.SetOutput(io.Discard)
	os.Exit(run(untilSignal(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. A second
// signal ends the process at once.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals) // before ctx ends, so that a second signal has the default effect
		cancel()
	}()
	return ctx
}

// run runs a command to the end, or until ctx ends, and returns the exit status.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(process{env: env, stdin: stdin, stdout: stdout, stderr: stderr})
	root.SetArgs(append([]string{}, args...)) // nil would be the arguments of the process
	command, err := root.ExecuteContextC(ctx)
	return exitStatus(terminal.Writer{Writer: briefly{stderr}}, command, err) // errors quote answers
}

// briefly writes for a second at most: a blocked reader of stderr cannot prevent the end of the process.
type briefly struct{ io.Writer }

// Write implements [io.Writer].
func (w briefly) Write(b []byte) (n int, err error) {
	done := make(chan struct{})
	text := bytes.Clone(b)
	go func() {
		defer close(done)
		_, _ = w.Writer.Write(text) // nobody is left to hear of an error
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
	return len(b), nil
}

// exitStatus prints the error of a command, and returns the exit status.
func exitStatus(stderr io.Writer, command *cobra.Command, err error) int {
	if err == nil {
		return exitOK
	}
	exit := exitError{error: err, status: exitFail}
	_ = errors.As(err, &exit)
	text := exit.Error()
	if text != "" {
		_, _ = fmt.Fprintf(stderr, "%s: %s\n", command.CommandPath(), text)
	}
	_, _ = io.WriteString(stderr, exit.help)
	return exit.status
}
