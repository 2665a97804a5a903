package testwait

import (
	"flag"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
)

// slots is how many parallel tests of a package run at a time. It is more than most machines
// have processors: the tests wait for processes and servers most of the time.
const slots = 6

// idleSlots is slots of packages whose tests leave the processor to others nearly all the time.
const idleSlots = 2 * slots

// gcPercent is GOGC of the tests. With 100 a fifth of their time goes to the collector, for
// heaps of a few MiB. Benchmarks run with the program's.
const gcPercent = 400

// Main runs the tests of a package that wait more than they compute. The flag -parallel and the
// variable GOGC take precedence.
func Main(m *testing.M) { os.Exit(Run(m)) }

// MainIdle is [Main] for tests that wait for other servers nearly all the time.
func MainIdle(m *testing.M) { os.Exit(run(m, idleSlots)) }

// Run is [Main] for a package that has more to do when its tests have ended.
func Run(m *testing.M) (code int) { return run(m, slots) }

func run(m *testing.M, slots int) (code int) {
	flag.Parse()
	flags := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { flags[f.Name] = true })
	if !flags["test.parallel"] {
		if err := flag.Set("test.parallel", strconv.Itoa(slots)); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	if os.Getenv("GOGC") == "" && !flags["test.bench"] {
		debug.SetGCPercent(gcPercent)
	}
	return m.Run()
}
