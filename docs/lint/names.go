package main

import (
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The names that documents have in code spans.
var (
	testName   = regexp.MustCompile("`((?:Test|Benchmark|Fuzz)\\w+)(?:/\\w+)?`")
	metricName = regexp.MustCompile("`(calfacade_\\w+)`")
	sourceName = regexp.MustCompile("`((?:cache|cmd|docs|i18n|mapping|proxy)/[\\w./-]*\\w)`")
	configKey  = regexp.MustCompile("`((?:admin|auth|backends|cache|cors|docs|languages|limits|log|rate_limit|" +
		"rewrite|staging|tls|tracing|upstream)(?:\\[\\])?\\.[a-z_.]+)(?:: [^`]*)?`")
)

const (
	changelogFile = "CHANGELOG.md" // names keys and commands that are gone
	exampleFile   = "config.example.yaml"
	metricsFile   = "docs/metrics.md"
)

// checkNames looks for the tests, metrics, files and configuration keys that documents name.
func checkNames(module tree, r *report) {
	tests := testFunctions(module)
	keys := configKeys(module, r)
	for file, text := range module.documents() {
		if file == changelogFile {
			continue
		}
		for _, names := range []struct {
			kind       string
			expression *regexp.Regexp
			exists     func(name string) bool
		}{
			{kind: "test", expression: testName, exists: func(name string) bool { return tests[name] }},
			{kind: "metric", expression: metricName, exists: func(name string) bool {
				return strings.Contains(module.texts[metricsFile], "| `"+name+"` |")
			}},
			{kind: "file", expression: sourceName, exists: module.exists},
			{kind: "configuration key", expression: configKey, exists: func(name string) bool {
				name = strings.ReplaceAll(name, "[]", "")
				return keys[name] || keys[strings.TrimSuffix(name, "_file")] // each secret has a file
			}},
		} {
			for _, m := range matches(names.expression, text) {
				r.checked++
				if !names.exists(m.groups[1]) {
					r.add(file, m.line, "there is no %s %s", names.kind, m.groups[1])
				}
			}
		}
	}
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)

// testFunctions returns the names of all tests, benchmarks and fuzz targets.
func testFunctions(module tree) map[string]bool {
	names := map[string]bool{}
	for file, text := range module.ownFiles(".go") {
		if strings.HasSuffix(file, "_test.go") {
			for _, m := range matches(testFunction, text) {
				names[m.groups[1]] = true
			}
		}
	}
	return names
}

var backendKey = regexp.MustCompile(`(?m)^# [- ] ([a-z_]+):`)

// configKeys returns the paths of all keys in the example of a configuration, sections among them, and of the keys of a
// backend, which are a comment there.
func configKeys(module tree, r *report) map[string]bool {
	keys := map[string]bool{}
	var config any
	if err := yaml.Unmarshal([]byte(module.texts[exampleFile]), &config); err != nil {
		r.add(exampleFile, 1, "%v", err)
	}
	for _, m := range matches(backendKey, module.texts[exampleFile]) {
		keys["backends."+m.groups[1]] = true
	}
	addKeys(keys, "", config)
	return keys
}

// addKeys adds the paths of the keys of a value.
func addKeys(keys map[string]bool, parent string, value any) {
	keys[parent] = true
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			addKeys(keys, strings.TrimPrefix(parent+"."+key, "."), v)
		}
	case []any:
		for _, v := range value {
			addKeys(keys, parent, v)
		}
	}
}

// commandHeading is the section of a command in the page of commands, which the commands make.
var commandHeading = regexp.MustCompile(`(?m)^### calfacade ([a-z]+)$`)

// checkCommands looks in the README for each command.
func checkCommands(module tree, r *report) {
	const readme = "README.md"
	for _, m := range matches(commandHeading, module.texts["docs/commands.md"]) {
		r.checked++
		command := "calfacade " + m.groups[1]
		if !strings.Contains(module.texts[readme], "`"+command) {
			r.add(readme, 1, "does not list %s", command)
		}
	}
}

// sourceFile is the name of a file of the same package.
var sourceFile = regexp.MustCompile(`[ (]([a-z_]+\.go)\b`)

var packageComment = regexp.MustCompile(`(?m)^(?://.*\n)+package `)

// checkPackageFiles looks for the files that comments of packages name.
func checkPackageFiles(module tree, r *report) {
	for file, text := range module.ownFiles(".go") {
		for _, comment := range matches(packageComment, text) {
			for _, m := range matches(sourceFile, comment.groups[0]) {
				r.checked++
				if !module.exists(path.Join(path.Dir(file), m.groups[1])) {
					r.add(file, comment.line+m.line-1, "the package has no %s", m.groups[1])
				}
			}
		}
	}
}
