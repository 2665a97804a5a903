package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Summary is a report in words: what it means for the move, and then sentences.
type Summary struct {
	Headline string   `json:"headline"`
	Lines    []string `json:"lines"`
}

// maxPhrases is the maximum number of kinds that a sentence of a summary names.
const maxPhrases = 6

// Summarize returns the summary of a report. It has only what was measured.
func (r Report) Summarize() Summary {
	s := Summary{Headline: r.headline()}
	add := func(format string, args ...any) { s.Lines = append(s.Lines, fmt.Sprintf(format, args...)) }
	all := r.Sum()
	add("Compared: %s of the legacy site in %s. The same: %d. With findings: %d.", plural(all.Items, "item"), r.languages(), max(0, all.Items-all.Affected), all.Affected)
	if r.Sample > 0 {
		add("The lists were compared completely. Of the items of each, about %d were also read one by one.", r.Sample)
	}
	for _, weight := range causes.Weights {
		if text := r.phrases(weight); text != "" {
			add("%s", text)
		}
	}
	if all.Findings > 0 {
		add("By resource: %s.", r.by(func(t Tally) string { return t.Resource }))
		add("By language: %s.", r.by(func(t Tally) string { return t.Language }))
	}
	if len(r.Known) > 0 {
		add("Known kinds of differences, which are no findings: %d; see below.", len(r.Known))
	}
	if all.Failed > 0 {
		add("%s could not be made or compared.", plural(all.Failed, "call"))
	}
	if n := len(r.Narrowed); n > 0 {
		add("Of %s a site refused the widest call, and both were sent a smaller one; see below.", plural(n, "list"))
	}
	if all.Noise > 0 {
		add("%s of the legacy site from itself %s not counted.", plural(int(all.Noise), "difference"), isAre(int(all.Noise)))
	}
	return s
}

func (r Report) headline() string {
	weights := r.byWeight()
	switch {
	case r.Verdict == Same && r.narrower():
		return "No difference was found, but some lists could be compared in part only."
	case r.Verdict == Same && len(r.Known) > 0:
		return "What was compared is the same, except for " + plural(len(r.Known), "known kind") + " of differences."
	case r.Verdict == Same:
		return "No difference was found in what was compared."
	case r.Verdict == Unproven:
		return "No difference was found, but not everything could be compared: this is no verdict."
	case weights[causes.Serious] > 0:
		return fmt.Sprintf("Not ready to move: %s.", plural(weights[causes.Serious], "serious finding"))
	case len(r.Kinds) > 0:
		return fmt.Sprintf("In what was compared, no item is missing, additional or unreadable, and no event is at another time. %s.", plural(r.Total, "other finding"))
	}
	return "They differ."
}

// narrower reports whether a list was compared without what its widest call shows.
func (r Report) narrower() bool {
	return slices.ContainsFunc(r.Narrowed, func(n Narrowed) bool { return len(n.Without) > 0 })
}

// byWeight returns the number of findings of each weight.
func (r Report) byWeight() map[causes.Weight]int {
	n := map[causes.Weight]int{}
	for i := range r.Kinds {
		n[r.Kinds[i].Weight] += r.Kinds[i].Findings
	}
	return n
}

func (r Report) languages() string {
	var all []string
	for _, c := range r.Cells {
		if !slices.Contains(all, c.Language) {
			all = append(all, c.Language)
		}
	}
	return strings.Join(all, ", ")
}

// titles introduce the findings of a weight.
var titles = map[causes.Weight]string{
	causes.Serious:   "Serious",
	causes.Visible:   "Visible to visitors",
	causes.Technical: "For programs only",
}

// phrases returns the findings of a weight as a sentence; "" for none.
func (r Report) phrases(weight causes.Weight) string {
	var named []string
	others := 0
	for i := range r.Kinds {
		switch k := &r.Kinds[i]; {
		case k.Weight != weight:
		case len(named) < maxPhrases:
			named = append(named, phrase(*k))
		default:
			others += k.Findings
		}
	}
	if named == nil {
		return ""
	}
	if others > 0 {
		named = append(named, plural(others, "other finding"))
	}
	return fmt.Sprintf("%s: %s.", titles[weight], strings.Join(named, "; "))
}

// phrase returns a kind of findings in words.
func phrase(k causes.Kind) string {
	items := plural(k.Findings, singular(k.Resource))
	if k.List {
		items = plural(k.Findings, "list") + " of " + k.Resource
	}
	switch {
	case k.Kind == compare.Order && k.List:
		return items + " in another order"
	case k.Member != "":
		return fmt.Sprintf("%s of %s %s", k.Member, items, how(k.Kind))
	case k.Kind == compare.Missing:
		return fmt.Sprintf("%s %s missing on the candidate", items, isAre(k.Findings))
	case k.Kind == compare.Extra:
		return fmt.Sprintf("%s %s only on the candidate", items, isAre(k.Findings))
	}
	return fmt.Sprintf("%s answered with another status or form", items)
}

// how returns a kind of difference as a predicate.
func how(kind compare.Kind) string {
	switch kind {
	case compare.Missing:
		return "is missing on the candidate"
	case compare.Extra:
		return "is only on the candidate"
	case compare.Type:
		return "has another type"
	case compare.Order:
		return "has another order"
	}
	return "differs"
}

// by returns the findings by an attribute of cells.
func (r Report) by(of func(Tally) string) string {
	var names []string
	n := map[string]int{}
	for _, c := range r.Cells {
		if name := of(c); c.Findings > 0 {
			if n[name] == 0 {
				names = append(names, name)
			}
			n[name] += c.Findings
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, n[name])
	}
	return strings.Join(names, ", ")
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
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

// singular returns one item of a resource.
func singular(resource string) string {
	if rest, ok := strings.CutSuffix(resource, "ies"); ok {
		return rest + "y"
	}
	return strings.TrimSuffix(resource, "s")
}
