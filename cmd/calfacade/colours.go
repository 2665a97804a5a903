package main

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
)

// checkStyle returns the styles of the lines of a report: what does not work is red.
func checkStyle(r checkReport) func(line string) terminal.Style {
	bad := map[string]bool{"redis": r.Redis != nil && len(r.Redis.Problems) > 0}
	for _, f := range r.Roots {
		bad[f.Name()] = !f.OK()
	}
	if r.Edge != nil {
		for _, t := range r.Edge.Purge {
			bad[edgeName(t)] = len(t.Problems) > 0
		}
	}
	return func(line string) terminal.Style {
		name, text, ofOne := strings.Cut(line, ": ")
		_, known := bad[name]
		switch first, _, _ := strings.Cut(line, " "); {
		case first == "LANGUAGE":
			return terminal.Bold
		case known && ofOne && strings.HasPrefix(text, "note: "):
			return terminal.Yellow
		case known && ofOne && (strings.HasPrefix(text, "servers: ") || strings.HasPrefix(text, "type: ")):
			return ""
		case known && ofOne, bad[first] && !ofOne:
			return terminal.Red
		}
		return ""
	}
}

// diffStyle returns the style of a line of a comparison.
func diffStyle(line string) terminal.Style {
	first, _, _ := strings.Cut(line, " ")
	switch {
	case slices.Contains([]string{"LANGUAGE", "FINDINGS", "KNOWN", "FAILED"}, first):
		return terminal.Bold
	case line == string(survey.Same):
		return terminal.Green
	case line == string(survey.Differs):
		return terminal.Red
	case line == string(survey.Unproven):
		return terminal.Yellow
	}
	return ""
}

// explainStyle returns the style of a line of an explanation.
func explainStyle(line string) terminal.Style {
	switch name, _, _ := strings.Cut(line, ":"); name {
	case "refused":
		return terminal.Red
	case "dropped":
		return terminal.Yellow
	}
	return ""
}
