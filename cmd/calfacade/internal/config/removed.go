package config

import (
	_ "embed"
	"regexp"
	"strings"
)

// removedKeys has a line for each key or section of an earlier version: its path, and a hint.
//
//go:embed removed.txt
var removedKeys string

// hintOf returns the hint for a removed key that is accepts, as a part of an error; "" if it accepts none.
func hintOf(is func(path string) bool) string {
	for line := range strings.Lines(removedKeys) {
		if path, hint, _ := strings.Cut(strings.TrimSpace(line), ": "); is(path) {
			return ": " + hint
		}
	}
	return ""
}

var indexes = regexp.MustCompile(`\[\d+\]`)

// removed returns the hint for an unknown key of the file, with its path; "" if it never was one.
func removed(path string) string {
	path = strings.TrimSuffix(indexes.ReplaceAllString(path, ""), "_file")
	return hintOf(func(was string) bool { return path == was })
}

// removedEnv returns the hint for an unknown variable.
func removedEnv(name string) string {
	return hintOf(func(was string) bool { return name == Variable(was) || strings.HasPrefix(name, Variable(was)+"_") })
}
