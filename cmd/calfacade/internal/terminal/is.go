package terminal

import (
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/term"
)

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// HasColours reports whether a terminal shows colours, by the variables of its process: not
// with a NO_COLOR that is not empty (no-color.org), and not if it is dumb. On Windows only
// Windows Terminal shows them by itself.
func HasColours(env []string) bool { return hasColours(runtime.GOOS, env) }

func hasColours(system string, env []string) bool {
	if system == "windows" && !slices.ContainsFunc(env, func(variable string) bool { return strings.HasPrefix(variable, "WT_SESSION=") }) {
		return false
	}
	return !slices.ContainsFunc(env, func(variable string) bool {
		value, found := strings.CutPrefix(variable, "NO_COLOR=")
		return found && value != "" || variable == "TERM=dumb"
	})
}
