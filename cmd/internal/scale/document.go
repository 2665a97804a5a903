package scale

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Tables returns the tables of docs/scaling.md by name.
func Tables(rows []Row) map[string]string {
	return map[string]string{
		"site":   siteTable(rows),
		"redis":  redisTable(rows),
		"fronts": frontTable(rows),
		"parts":  partTable(rows, ByParts),
		"losses": partTable(rows, ByLosses),
	}
}

func siteTable(rows []Row) string {
	t := newTable("Instances", "calls a second", "busiest second", "without leases", "busiest second", "without Redis", "busiest second")
	for _, r := range of(rows, ByInstances, WithRedis) {
		cells := []string{strconv.Itoa(r.Instances)}
		for _, name := range []string{WithRedis, WithoutLeases, WithoutRedis} {
			for _, other := range of(rows, ByInstances, name) {
				if other.Instances == r.Instances {
					cells = append(cells, rate(other.SiteCalls), rate(other.SitePeak))
				}
			}
		}
		t.row(cells...)
	}
	return t.String()
}

func redisTable(rows []Row) string {
	t := newTable("Instances", "following the log", "entries and leases", "purges", "records delivered", "outdated in a million", "p50", "p99", "oldest")
	for _, r := range of(rows, ByInstances, WithRedis) {
		t.row(append([]string{strconv.Itoa(r.Instances), rate(r.Idle), rate(r.Entries), rate(r.Purges), rate(r.ToCaches)}, r.Staleness.cells()...)...)
	}
	return t.String()
}

func frontTable(rows []Row) string {
	t := newTable("Caches in front", "hits there", "calls to the site", "purges sent on", "outdated in a million", "p50", "p99", "oldest", "not purged: outdated in a million", "oldest")
	for _, r := range of(rows, ByInstances, WithRedis) {
		if r.Instances == Default().Instances { // without caches in front
			t.row(append(append([]string{"0", "", rate(r.SiteCalls), ""}, r.Staleness.cells()...), "", "")...)
		}
	}
	unpurged := of(rows, ByFronts, WithoutOnward)
	for i, r := range of(rows, ByFronts, WithOnward) {
		cells := append([]string{strconv.Itoa(r.Fronts), percent(r.FrontHits), rate(r.SiteCalls), rate(r.ToFronts)}, r.Staleness.cells()...)
		without := unpurged[i].Staleness
		t.row(append(cells, rate(without.PerMillion), age(without.Max))...)
	}
	return t.String()
}

func partTable(rows []Row, group string) string {
	t := newTable("", "hits in front", "calls to the site", "busiest second", "commands of Redis", "purges sent on", "outdated in a million", "p50", "p99", "oldest")
	for _, r := range rows {
		if r.Group == group {
			t.row(append([]string{r.Name, percent(r.FrontHits), rate(r.SiteCalls), rate(r.SitePeak), rate(r.Idle + r.Entries + r.Purges), rate(r.ToFronts)}, r.Staleness.cells()...)...)
		}
	}
	return t.String()
}

// of returns the rows of a group with a name.
func of(rows []Row, group, name string) (some []Row) {
	for _, r := range rows {
		if r.Group == group && r.Name == name {
			some = append(some, r)
		}
	}
	return some
}

// newTable begins a table in Markdown. The first column is text.
func newTable(heads ...string) *markdown {
	t := new(markdown)
	t.row(heads...)
	t.b.WriteString("|---" + strings.Repeat("|--:", len(heads)-1) + "|\n")
	return t
}

type markdown struct{ b strings.Builder }

func (t *markdown) row(cells ...string) {
	t.b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func (t *markdown) String() string { return t.b.String() }

func (s Staleness) cells() []string {
	return []string{rate(s.PerMillion), age(s.P50), age(s.P99), age(s.Max)}
}

// rate formats a number: with one digit after the point below 10, and with commas.
func rate(v float64) string {
	if v < 9.95 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	digits := strconv.FormatInt(int64(math.Round(v)), 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) + " %" }

func age(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	if d < 100*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
