package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// column is a cache in the report.
type column struct {
	name    string
	version string // "" for calfacade
	day     string // of published results
	results results

	key     string   // of a run
	cache   string   // its configuration: the section cache, in YAML
	without []string // tests whose outcome does not count for those that depend on them
}

// explain writes every deviation of the runs that has no reason, and every reason without a
// deviation, and returns how many there are.
func explain(w io.Writer, s *suite, made []column) (open int) {
	for _, run := range made {
		used := map[string]bool{}
		for _, section := range s.sections {
			for _, t := range section.Tests {
				if t.BrowserOnly || t.Kind == check {
					continue
				}
				got, why := s.judge(run.results, t.ID, run.without), byDesign(run.key, t.ID)
				if why != nil {
					used[why.pattern] = used[why.pattern] || why.excluded || got != passed
				} else if got != passed {
					open++
					_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", run.key, t.ID, t.Kind, got, run.results[t.ID].reason)
				}
			}
		}
		for _, d := range deviations {
			for _, pattern := range d.tests {
				if d.in(run.key) && !used[pattern] {
					open++
					_, _ = fmt.Fprintf(w, "%s\t%s\tdoes not deviate\n", run.key, pattern)
				}
			}
		}
	}
	return open
}

// tally counts the tests of one kind in a section.
type tally struct{ passed, all, byDesign int }

func (t tally) String() string {
	switch {
	case t.all == 0:
		return ""
	case t.byDesign > 0:
		return fmt.Sprintf("%d/%d (%d)", t.passed, t.all, t.byDesign)
	}
	return fmt.Sprintf("%d/%d", t.passed, t.all)
}

func (t *tally) add(other tally) {
	t.passed, t.all, t.byDesign = t.passed+other.passed, t.all+other.all, t.byDesign+other.byDesign
}

// count counts the tests of a kind in one section for one cache.
func (s *suite) count(c column, in section, of kind) (n tally) {
	for _, t := range in.Tests {
		if t.BrowserOnly || t.Kind != of {
			continue
		}
		n.all++
		why := byDesign(c.key, t.ID)
		switch got := s.judge(c.results, t.ID, c.without); {
		case c.key != "" && why != nil && (why.excluded || got != passed):
			n.byDesign++
		case got == passed:
			n.passed++
		}
	}
	return n
}

// report returns the document.
func report(s *suite, made, others []column) []byte {
	var b bytes.Buffer
	all := slices.Concat(made, others)
	tests := 0
	for _, section := range s.sections {
		for _, t := range section.Tests {
			if !t.BrowserOnly {
				tests++
			}
		}
	}
	fmt.Fprintf(&b, introduction, tests, s.revision)
	for _, table := range []struct {
		of    kind
		title string
	}{{required, "Required tests"}, {optimal, "Optimal tests"}} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", table.title, meaning[table.of])
		writeTable(&b, s, all, table.of)
	}
	b.WriteString("\n" + sources(others))
	writeDeviations(&b, s, made)
	return b.Bytes()
}

// writeTable writes a row for each section with tests of a kind, and their sum.
func writeTable(b *bytes.Buffer, s *suite, all []column, of kind) {
	b.WriteString("| Section |")
	for _, c := range all {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(all)) + "\n")
	sums := make([]tally, len(all))
	for _, section := range s.sections {
		row, any := "| "+section.Name+" |", false
		for i, c := range all {
			n := s.count(c, section, of)
			sums[i].add(n)
			row, any = row+" "+n.String()+" |", any || n.all > 0
		}
		if any {
			b.WriteString(row + "\n")
		}
	}
	b.WriteString("| **All** |")
	for _, n := range sums {
		b.WriteString(" **" + n.String() + "** |")
	}
	b.WriteString("\n")
}

// sources names the releases whose results are published.
func sources(others []column) string {
	var all []string
	day := ""
	for _, c := range others {
		all = append(all, c.name+" "+c.version)
		day = max(day, c.day)
	}
	return fmt.Sprintf("The results of other caches are those that the suite publishes, the latest of %s: %s.\n", day, strings.Join(all, ", "))
}

// writeDeviations lists what calfacade does otherwise, and why.
func writeDeviations(b *bytes.Buffer, s *suite, made []column) {
	b.WriteString("\n## Deviations by design\n\n" + deviationsText + "\n\n| Tests | Run | Number | Reason |\n|---|---|---|---|\n")
	for _, d := range deviations {
		n, names := 0, []string{}
		for _, pattern := range d.tests {
			names = append(names, "`"+pattern+"`")
		}
		for _, section := range s.sections {
			for _, t := range section.Tests {
				if t.BrowserOnly || t.Kind == check {
					continue
				}
				if slices.ContainsFunc(made, func(c column) bool {
					why := byDesign(c.key, t.ID)
					return why != nil && why.deviation == d && (why.excluded || s.judge(c.results, t.ID, c.without) != passed)
				}) {
					n++
				}
			}
		}
		run := "both"
		if d.run != "" {
			run = d.run
		}
		fmt.Fprintf(b, "| %s | %s | %d | %s |\n", strings.Join(names, ", "), run, n, d.reason)
	}
}
