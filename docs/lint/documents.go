package main

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"
)

var infoString = regexp.MustCompile("(?m)^```([^`\n]+)$")

// infoStrings are the kinds of blocks. Tests run the ones of shells, load the ones of YAML, and so on: a block of another
// kind would not be run.
var infoStrings = []string{
	"apache", "caddy", "console", "console not-run", "diff", "go", "haproxy", "ini", "js", "json", "mermaid", "nginx", "php",
	"python", "sh",
	"sh not-run", "ts", "vcl", "yaml",
}

func checkBlocks(module tree, r *report) {
	for file, text := range module.documents() {
		for _, m := range matches(infoString, text) {
			r.checked++
			if !slices.Contains(infoStrings, m.groups[1]) {
				r.add(file, m.line, "a block of %q, want one of %q", m.groups[1], infoStrings)
			}
		}
	}
}

// checkDeployed holds that a document shows or links each file of docs/deploy.
func checkDeployed(module tree, r *report) {
	var documents strings.Builder
	for _, text := range module.documents() {
		documents.WriteString(text)
	}
	err := fs.WalkDir(module, "docs/deploy", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		r.checked++
		if !strings.Contains(documents.String(), strings.TrimPrefix(file, "docs/")) {
			r.add(file, 1, "no document shows or links the file")
		}
		return nil
	})
	if err != nil {
		r.add("docs/deploy", 1, "%v", err)
	}
}

var (
	section  = regexp.MustCompile(`(?m)^## (.*)$`)
	released = regexp.MustCompile(`^\[\d+\.\d+\.\d+\] - (\S+)$`)
)

// checkChangelog holds that .ci/release finds the notes of a version: sections have a version and a date, the newest first,
// below the one for changes that are not released.
func checkChangelog(module tree, r *report) {
	next := time.Now()
	for i, m := range matches(section, module.texts[changelogFile]) {
		r.checked++
		title := m.groups[1]
		if i == 0 {
			if title != "[Unreleased]" {
				r.add(changelogFile, m.line, "the first section is %q, want [Unreleased]", title)
			}
			continue
		}
		version := released.FindStringSubmatch(title)
		if version == nil {
			r.add(changelogFile, m.line, "%q is not a version with a date", title)
			continue
		}
		date, err := time.Parse(time.DateOnly, version[1])
		if err != nil {
			r.add(changelogFile, m.line, "%v", err)
		}
		if date.After(next) {
			r.add(changelogFile, m.line, "the section is newer than the one above, or than today")
		}
		next = date
	}
}

var (
	direct = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`) // others end in "// indirect"
	listed = regexp.MustCompile("(?m)^- `([a-z0-9.]+\\.[a-z]+/[^`]+)`: .+$")
)

// checkDependencies holds that CONTRIBUTING.md lists, with a reason, each module that go.mod requires directly.
func checkDependencies(module tree, r *report) {
	const modules = "go.mod"
	required := matches(direct, module.texts[modules])
	reasons := matches(listed, module.texts[contributing])
	for _, m := range required {
		r.checked++
		if !hasGroup(reasons, m.groups[1]) {
			r.add(modules, m.line, "%s gives no reason for %s", contributing, m.groups[1])
		}
	}
	for _, m := range reasons {
		if !hasGroup(required, m.groups[1]) {
			r.add(contributing, m.line, "%s does not require %s", modules, m.groups[1])
		}
	}
}

// hasGroup reports whether the first group of a match is name.
func hasGroup(list []match, name string) bool {
	return slices.ContainsFunc(list, func(m match) bool { return m.groups[1] == name })
}
