package main

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// setupFlags defines the flags for a site that is set up otherwise than the usual one.
// The outcome is filled when they are parsed.
func setupFlags(flags *flag.FlagSet) *sim.Setup {
	setup := new(sim.Setup)
	flags.StringVar(&setup.Basic, "basic", "", "`user:password` to want as HTTP Basic; X-Authorization takes the place of Authorization behind it")
	flags.StringVar(&setup.Host, "host", "", "`name` to be called by, in Host; other names get a 404")
	flags.StringVar(&setup.Cookie, "cookie", "", "`name` of a cookie to set on each answer")
	flags.BoolVar(&setup.NoStore, "no-store", false, "let nobody store an answer")
	flags.BoolVar(&setup.NoTotals, "no-totals", false, "leave out the header fields that count a list")
	surpluses := slices.Sorted(maps.Keys(sim.Surpluses))
	flags.Func("surplus", "`text` to write before each answer, as by mistake: "+strings.Join(surpluses, ", "), func(text string) error {
		if !slices.Contains(surpluses, text) {
			return fmt.Errorf("is none of %s", strings.Join(surpluses, ", "))
		}
		setup.Surplus = text
		return nil
	})
	return setup
}
