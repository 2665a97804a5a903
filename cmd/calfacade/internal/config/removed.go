package config

import (
	_ "embed"
	"regexp"
	"strings"
)

// removedKeys has a line for each key or section of an earlier version: the path, and a hint.
//
//go:embed removed.txt
var removedKeys string

var indexes = regexp.MustCompile(`\[\d+\]`)

// removed returns the hint for an unknown key of the file, as a part of an error; "" if no earlier version
// had the key or the section.
func removed(path string) string { return removedEnv(Variable(indexes.ReplaceAllString(path, ""))) }

// removedEnv is like removed for an unknown variable.
func removedEnv(name string) string {
	for line := range strings.Lines(removedKeys) {
		path, hint, _ := strings.Cut(strings.TrimSpace(line), ": ")
		was := Variable(path)
		if name == was || strings.HasPrefix(name, was+"_") {
			return ": " + hint
		}
	}
	return ""
}
