package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The names that documents have in code spans.
var (
	testName   = regexp.MustCompile("`((?:Test|Benchmark|Fuzz)\\w+)(?:/\\w+)?`")
	testFunc   = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	metricName = regexp.MustCompile("`(calfacade_\\w+)`")
	sourceName = regexp.MustCompile("`((?:cache|cmd|docs|i18n|mapping|proxy)/[\\w./-]*\\w)`")
	configKey  = regexp.MustCompile("`((?:admin|auth|backends|cache|cors|docs|languages|limits|log|rate_limit|" +
		"rewrite|staging|tls|tracing|upstream)(?:\\[\\])?\\.[a-z_.]+)(?:: [^`]*)?`")
)

// TestDocumentNames looks for the tests, metrics, files and configuration keys that
// documents name. The changelog is exempt: it names keys and commands that are gone.
func TestDocumentNames(t *testing.T) {
	texts := documents(t)
	tests := testFunctions(t)
	config := exampleKeys(t)
	for name, text := range texts {
		if name == "CHANGELOG.md" {
			continue
		}
		for _, test := range captures(testName, text) {
			if !tests[test] {
				t.Errorf("%s: there is no %s", name, test)
			}
		}
		for _, metric := range captures(metricName, text) {
			if !strings.Contains(texts["docs/metrics.md"], "| `"+metric+"` |") {
				t.Errorf("%s: there is no metric %s", name, metric)
			}
		}
		for _, file := range captures(sourceName, text) {
			if _, err := os.Stat(filepath.Join("../..", file)); err != nil {
				t.Errorf("%s: there is no %s", name, file)
			}
		}
		for _, key := range captures(configKey, text) {
			key = strings.ReplaceAll(key, "[]", "")
			if !config[key] && !config[strings.TrimSuffix(key, "_file")] { // each secret has a file
				t.Errorf("%s: there is no configuration key %s", name, key)
			}
		}
	}
}

// testFunctions are the names of all tests, benchmarks and fuzz targets.
func testFunctions(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(root, file)
		for _, name := range captures(testFunc, string(source)) {
			names[name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// exampleKeys are the paths of all keys in config.example.yaml, sections among them, and of
// the keys of a backend, which are a comment there.
func exampleKeys(t *testing.T) map[string]bool {
	t.Helper()
	var config any
	if err := yaml.Unmarshal([]byte(readFile(t, exampleFile)), &config); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, key := range captures(regexp.MustCompile(`(?m)^# [- ] ([a-z_]+):`), readFile(t, exampleFile)) {
		keys["backends."+key] = true
	}
	var walk func(string, any)
	walk = func(path string, value any) {
		keys[path] = true
		switch value := value.(type) {
		case map[string]any:
			for key, v := range value {
				walk(strings.TrimPrefix(path+"."+key, "."), v)
			}
		case []any:
			for _, v := range value {
				walk(path, v)
			}
		}
	}
	walk("", config)
	return keys
}
