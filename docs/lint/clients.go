package main

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^```(?:go|js|ts)\n(.*?)^```$")
	npmName   = regexp.MustCompile(`(?m)^npm install (.+)$`)
)

// checkClients holds that the code for clients in docs/clients.md is in the programs that tests run, in testdata/client, and
// that the releases of the generators are the ones that tests use.
func checkClients(module tree, r *report) {
	const clients = "docs/clients.md"
	text := module.texts[clients]
	var programs strings.Builder
	var tested struct{ Dependencies map[string]string }
	for file, source := range module.files(".ts", ".mjs", ".txt", ".json") {
		switch {
		case !strings.HasSuffix("/"+path.Dir(file), "/testdata/client"):
		case path.Base(file) == "package.json":
			if err := json.Unmarshal([]byte(source), &tested); err != nil {
				r.add(file, 1, "%v", err)
			}
		case path.Ext(file) != ".json":
			programs.WriteString(unindented(source) + "\n")
		}
	}
	for _, m := range matches(codeBlock, text) {
		r.checked++
		if !strings.Contains(programs.String(), unindented(m.groups[1])) {
			r.add(clients, m.line, "no program in testdata/client has this code")
		}
	}
	for _, m := range matches(npmName, text) {
		for _, name := range strings.Fields(m.groups[1]) {
			separator := strings.LastIndexByte(name, '@')
			want := tested.Dependencies[name[:max(separator, 0)]]
			if name[separator+1:] != want {
				r.add(clients, m.line, "%s, and tests use %q", name, want)
			}
		}
	}
}

// unindented returns a text without the blanks at the beginning of its lines.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, " \t"))
	}
	return b.String()
}
