package fleet

import (
	"fmt"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// writesName and recentName are names of a [redisstore.Tally]. The counts within the window belong
// to a version of the cell: those from before a change do not matter after it.
func writesName(candidate string, c staging.Cell) string { return candidate + " " + c.String() }

func recentName(candidate string, c staging.Cell, version uint64, what string) string {
	return fmt.Sprintf("%s %s %d %s", candidate, c, version, what)
}

func tallyOf(candidate string, counted map[staging.Cell]staging.Unsent, window time.Duration) redisstore.Tally {
	t := redisstore.Tally{Window: window, Recent: map[string]int64{}, Ever: map[string]int64{}}
	for c, n := range counted {
		for what, n := range map[string]uint64{"calls": n.Calls, "failures": n.Failures, "compared": n.Compared, "different": n.Different} {
			if n > 0 {
				t.Recent[recentName(candidate, c, counted[c].Version, what)] = int64(n)
			}
		}
		if n.Writes > 0 {
			t.Ever[writesName(candidate, c)] = int64(n.Writes)
		}
	}
	return t
}

func totalsOf(candidate string, versions map[staging.Cell]uint64, recent, ever map[string]int64) map[staging.Cell]staging.Total {
	all := map[staging.Cell]staging.Total{}
	for c, version := range versions {
		number := func(what string) uint64 { return uint64(max(0, recent[recentName(candidate, c, version, what)])) }
		all[c] = staging.Total{
			Recent:  staging.Counts{Calls: number("calls"), Failures: number("failures"), Compared: number("compared"), Different: number("different")},
			Written: uint64(max(0, ever[writesName(candidate, c)])),
		}
	}
	return all
}

// forgotten returns the names of counts of writes that are reset by a change: those of cells that
// leave the legacy or return to it.
func forgotten(candidate string, had, next state) []string {
	var names []string
	for name, v := range next.Cells[candidate] {
		was := had.Cells[candidate][name]
		if was != nil && (was.Version == v.Version || was.Share() > 0 && v.Share() > 0) {
			continue
		}
		if strings.HasPrefix(name, string(staging.Write)+" ") {
			names = append(names, candidate+" "+name)
		}
	}
	return names
}
