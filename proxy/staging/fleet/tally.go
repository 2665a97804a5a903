package fleet

import (
	"fmt"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/staging"
)

// The names of a [redisstore.Tally]. The counts within the window belong to a version of the cell:
// those from before a change do not matter after it. A change of a cell resets the counts since
// the change, and they are added to no other version.
func writesName(candidate string, c staging.Cell) string { return candidate + " " + c.String() }

func recentName(candidate string, c staging.Cell, version uint64, what string) string {
	return fmt.Sprintf("%s %s %d %s", candidate, c, version, what)
}

func sinceName(candidate, cell, what string) string { return candidate + " " + cell + " " + what }

// numbers returns the numbers of a cell by the last word of their names. Requests are counted since
// the change alone.
func numbers(n *staging.Counts, requests *staging.Sides) map[string]*uint64 {
	return map[string]*uint64{
		"calls": &n.Calls, "failures": &n.Failures, "compared": &n.Compared, "different": &n.Different,
		"legacy": &requests.Legacy, "candidate": &requests.Candidate,
	}
}

func tallyOf(candidate string, at redisstore.Decisions, counted map[staging.Cell]staging.Unsent, window time.Duration) redisstore.Tally {
	t := redisstore.Tally{Window: window, At: at, Recent: map[string]int64{}, Ever: map[string]int64{}, Since: map[string]int64{}}
	add := func(to map[string]int64, name string, n uint64) {
		if n > 0 {
			to[name] = int64(n) // #nosec G115 -- a count
		}
	}
	for c, n := range counted {
		for what, part := range numbers(&n.Counts, new(staging.Sides)) {
			add(t.Recent, recentName(candidate, c, n.Version, what), *part)
		}
		for what, part := range numbers(&n.Since.Counts, &n.Since.Requests) {
			add(t.Since, sinceName(candidate, c.String(), what), *part)
		}
		add(t.Ever, writesName(candidate, c), n.Writes)
	}
	return t
}

func totalsOf(candidate string, versions map[staging.Cell]uint64, sums redisstore.Sums) map[staging.Cell]staging.Total {
	count := func(n int64) uint64 { return uint64(max(0, n)) }
	all := map[staging.Cell]staging.Total{}
	for c, version := range versions {
		t := staging.Total{Version: version, Written: count(sums.Ever[writesName(candidate, c)])}
		for what, n := range numbers(&t.Recent, new(staging.Sides)) {
			*n = count(sums.Recent[recentName(candidate, c, version, what)])
		}
		for what, n := range numbers(&t.Since.Counts, &t.Since.Requests) {
			*n = count(sums.Ever[sinceName(candidate, c.String(), what)])
		}
		all[c] = t
	}
	return all
}

// forgotten returns the names of counts that are reset by a change: those since the previous change
// of the cells that it sets, and those of the writes of cells that leave the legacy or return to it.
func forgotten(candidate string, had, next state) []string {
	var names []string
	for cell, v := range next.Cells[candidate] {
		was := had.Cells[candidate][cell]
		if was != nil && was.Version == v.Version {
			continue
		}
		for what := range numbers(new(staging.Counts), new(staging.Sides)) {
			names = append(names, sinceName(candidate, cell, what))
		}
		if moves := was == nil || was.Share() == 0 || v.Share() == 0; moves && strings.HasPrefix(cell, string(staging.Write)+" ") {
			names = append(names, candidate+" "+cell)
		}
	}
	return names
}
