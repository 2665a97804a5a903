package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/probe"
)

// printLanguages prints the lists by which the check found out what selects the
// language, and a configuration that works.
func printLanguages(w io.Writer, findings []probe.Finding) error {
	if !slices.ContainsFunc(findings, func(f probe.Finding) bool { return len(f.Tried) > 0 }) {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "\nLANGUAGE\tLIST BY\tUPSTREAM\tITEMS\tPAGES IN\tSAME AS")
	for _, f := range findings {
		for _, a := range f.Tried {
			_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", f.Name(), wayOf(a), a.Upstream, countOf(a),
				terminal.OrDash(languagesOf(a)), terminal.OrDash(strings.Join(a.SameAs, ",")))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, workingConfig(findings))
	return err
}

// wayOf returns how a list was requested.
func wayOf(a probe.TriedList) string {
	switch a.By {
	case i18n.ByParameter:
		return a.Param
	case i18n.ByBoth:
		return "path, " + a.Param
	}
	return "path"
}

func countOf(a probe.TriedList) string {
	return cmp.Or(a.Error, fmt.Sprint(a.Total))
}

// languagesOf returns the languages of the pages of the first items.
func languagesOf(a probe.TriedList) string {
	var counts []string
	for _, code := range slices.Sorted(maps.Keys(a.Languages)) {
		counts = append(counts, fmt.Sprintf("%s %d", code, a.Languages[code]))
	}
	return strings.Join(counts, ", ")
}

// workingConfig returns what works as YAML; "" if nothing does.
func workingConfig(findings []probe.Finding) string {
	var lines, params []string
	for _, f := range findings {
		if f.Works == nil {
			continue
		}
		lines = append(lines, fmt.Sprintf("  - {code: %s, root: %q, upstream: %q, select: %s}\n", f.Language, f.Works.Root, f.Works.Upstream, f.Works.Select))
		if f.Works.LanguageParam != "" && !slices.Contains(params, f.Works.LanguageParam) {
			params = append(params, f.Works.LanguageParam)
		}
	}
	if len(lines) == 0 {
		return "\nNo setting that was tried selects the language.\n"
	}
	return fmt.Sprintf("\nThese settings select the language:\n\nupstream: {language_param: %q}\nlanguages:\n%s", strings.Join(params, ""), strings.Join(lines, ""))
}
