package main

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

var (
	fenced     = regexp.MustCompile("(?ms)^```.*?^```\n?")
	codeSpan   = regexp.MustCompile("`[^`\n]*`")
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	linkText   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// checkLinks resolves each relative link of a document, with its anchor.
func checkLinks(module tree, r *report) {
	for file, text := range module.documents() {
		text = without(codeSpan, without(fenced, text))
		for _, m := range matches(linkTarget, text) {
			target := m.groups[1]
			if strings.Contains(target, ":") { // another site
				continue
			}
			r.checked++
			name, anchor, _ := strings.Cut(target, "#")
			linked := path.Join(path.Dir(file), name)
			if name == "" {
				linked = file
			}
			r.checkTarget(module, file, m.line, linked, anchor)
		}
	}
}

// mention is a document that other text names by its path from the root.
var mention = regexp.MustCompile(`\b(docs/[a-z/]+\.md)(?:#([\w-]+))?`)

// checkMentions resolves the documents that comments and messages name.
func checkMentions(module tree, r *report) {
	for file, text := range module.files(".go", ".yaml", ".php", ".json", ".html") {
		for _, m := range matches(mention, text) {
			r.checked++
			r.checkTarget(module, file, m.line, m.groups[1], m.groups[2])
		}
	}
}

// checkTarget adds a finding if the place where a text leads does not exist: a file, and a heading of it if there is an anchor.
func (r *report) checkTarget(module tree, file string, line int, target, anchor string) {
	if !module.exists(target) {
		r.add(file, line, "there is no %s", target)
	} else if anchor != "" && !slices.Contains(anchors(module.texts[target]), anchor) {
		r.add(file, line, "%s has no heading for #%s", target, anchor)
	}
}

// anchors returns the anchors that GitHub gives the headings of a document.
func anchors(document string) []string {
	var names []string
	counts := map[string]int{}
	for _, m := range matches(heading, without(fenced, document)) {
		text := linkText.ReplaceAllString(m.groups[1], "$1")
		anchor := strings.Map(func(c rune) rune {
			switch {
			case c == ' ':
				return '-'
			case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
				return unicode.ToLower(c)
			}
			return -1
		}, text)
		counts[anchor]++
		n := counts[anchor]
		if n > 1 {
			anchor += "-" + strconv.Itoa(n-1)
		}
		names = append(names, anchor)
	}
	return names
}
