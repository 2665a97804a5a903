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
	flags.StringVar(&setup.Basic, "basic", "", "`user:password` to want as HTTP Basic, with X-Authorization for the site")
	flags.StringVar(&setup.Host, "host", "", "`name` to be called by, in Host; other names get a 404")
	flags.StringVar(&setup.Cookie, "cookie", "", "`name` of a cookie to set on each answer")
	flags.BoolVar(&setup.Plain, "plain", false, "have plain permalinks: routes at /index.php?rest_route=/, pages at /?tribe_events=slug")
	pathFlag(flags, &setup.RESTPrefix, "rest-prefix", "what begins the path of the REST interface, instead of wp-json: `name`")
	pathFlag(flags, &setup.Directory, "directory", "the `directory` that the site is in, such as blog")
	pathFlag(flags, &setup.WordPress, "wordpress", "the `directory` of WordPress and its images, where that is not the site's")
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

// pathFlag defines a flag for segments of a path, with or without slashes around them.
func pathFlag(flags *flag.FlagSet, path *string, name, usage string) {
	flags.Func(name, usage, func(value string) error {
		*path = strings.Trim(value, "/")
		return nil
	})
}
