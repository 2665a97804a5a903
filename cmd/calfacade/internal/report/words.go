package report

import (
	"fmt"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Outcome returns the verdict as text.
func (r *Report) Outcome() string {
	if r.Verdict != Same || len(r.Known) == 0 {
		return string(r.Verdict)
	}
	return fmt.Sprintf("%s but for the %s of differences", r.Verdict, plural(len(r.Known), "known kind"))
}

// headline returns what the report means for the move. It has only what was measured.
func (r *Report) headline() string {
	serious := 0
	for i := range r.Kinds {
		if r.Kinds[i].Weight == Serious {
			serious += r.Kinds[i].Findings
		}
	}
	switch {
	case r.Verdict == Unproven:
		return "No difference was found, but not everything could be compared: this is no verdict."
	case serious > 0:
		return fmt.Sprintf("Not ready to move: %s.", plural(serious, "serious finding"))
	case r.Verdict == Differs:
		return "In what was compared, no item is missing, additional or unreadable, and no event is at another time. " + plural(r.Total, "other finding") + "."
	case len(r.Known) > 0:
		return "What was compared is the same, except for " + plural(len(r.Known), "known kind") + " of differences."
	}
	return "No difference was found in what was compared."
}

// Same returns the share of the items without findings, in percent, such as "99.9 %". It is rounded
// down: 100 % is all of them.
func (t Tally) Same() string {
	if t.Items == 0 {
		return "-"
	}
	permille := (t.Items - min(t.Affected, t.Items)) * 1000 / t.Items
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", permille/10, permille%10), ".0") + " %"
}

// Phrase returns a kind of findings in words.
func (k *Kind) Phrase() string {
	items := plural(k.Findings, mapping.Singular(k.Resource))
	if k.List {
		items = plural(k.Findings, "list") + " of " + k.Resource
	}
	areIs := "are"
	if k.Findings == 1 {
		areIs = "is"
	}
	switch {
	case k.Kind == compare.Order && k.List:
		return items + " in another order"
	case k.Member != "":
		return fmt.Sprintf("%s of %s %s", k.Member, items, predicates[k.Kind])
	case k.Kind == compare.Missing:
		return fmt.Sprintf("%s %s missing on the candidate", items, areIs)
	case k.Kind == compare.Extra:
		return fmt.Sprintf("%s %s only on the candidate", items, areIs)
	}
	return items + " answered with another status or form"
}

// predicates are the kinds of differences in words.
var predicates = map[compare.Kind]string{
	compare.Missing: "is missing on the candidate", compare.Extra: "is only on the candidate", compare.Type: "has another type",
	compare.Order: "has another order", compare.Value: "differs", compare.Status: "differs",
}

// Title returns the item of a finding as people call it, such as "Open day (20096)".
func (f *Finding) Title() string {
	switch {
	case f.ID == "":
		return "list"
	case f.Name == "":
		return f.ID
	}
	return fmt.Sprintf("%s (%s)", f.Name, f.ID)
}

func plural(n int, noun string) string {
	if n != 1 {
		if rest, ok := strings.CutSuffix(noun, "y"); ok {
			noun = rest + "ie"
		}
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
