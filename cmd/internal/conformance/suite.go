package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// suite is a clone of the repository of the tests.
type suite struct {
	dir      string
	revision string // commit and its date
	sections []section
}

// section is a group of tests. The suite has two dozen.
type section struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Tests []test `json:"tests"`
}

// test is what the suite says about one of its tests.
type test struct {
	ID          string   `json:"id"`
	Kind        kind     `json:"kind"`
	DependsOn   []string `json:"depends_on"`
	BrowserOnly bool     `json:"browser_only"`
}

// kind is what a failure means.
type kind string

const (
	required kind = "required" // it violates the standard; "" as well
	optimal  kind = "optimal"  // the cache could have done better
	check    kind = "check"    // nothing: caches differ
)

// openSuite reads the tests in a clone of the suite's repository.
func openSuite(ctx context.Context, dir string) (*suite, error) {
	s := &suite{dir: dir}
	data, err := s.output(ctx, nil, "node", "--input-type=module", "-e",
		"import tests from './tests/index.mjs'; console.log(JSON.stringify(tests))")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &s.sections); err != nil {
		return nil, err
	}
	for i := range s.sections {
		for j := range s.sections[i].Tests {
			if t := &s.sections[i].Tests[j]; t.Kind == "" {
				t.Kind = required
			}
		}
	}
	revision, err := s.output(ctx, nil, "git", "log", "-1", "--format=%h of %cs")
	s.revision = strings.TrimSpace(string(revision))
	return s, err
}

// published are the results of other caches that the suite has: all proxies and CDNs.
func (s *suite) published(ctx context.Context) ([]column, error) {
	data, err := s.output(ctx, nil, "node", "--input-type=module", "-e",
		"import all from './results/index.mjs'; console.log(JSON.stringify(all))")
	if err != nil {
		return nil, err
	}
	var all []struct{ File, Name, Type, Version string }
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	var columns []column
	for _, one := range all {
		if one.Type == "browser" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(s.dir, "results", one.File)) // #nosec G304 -- the suite names its files
		if err != nil {
			return nil, err
		}
		got, err := readResults(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.File, err)
		}
		day, err := s.output(ctx, nil, "git", "log", "-1", "--format=%cs", "--", "results/"+one.File)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column{name: one.Name, version: one.Version, day: strings.TrimSpace(string(day)), results: got})
	}
	return columns, nil
}

// serve starts the suite's server on a port.
func (s *suite) serve(ctx context.Context, port string) *exec.Cmd {
	c := s.command(ctx, map[string]string{"protocol": "http", "port": port, "pidfile": os.DevNull},
		"node", "test-engine/server/server.mjs")
	c.Stderr = os.Stderr
	return c
}

// sectionBySection runs the tests as the suite's command line does, but not those of several
// sections at the same time: a write of one test purges responses of others.
const sectionBySection = `
import { runTests, getResults } from './test-engine/client/runner.mjs'
import tests from './tests/index.mjs'
for (const section of tests) await runTests([section], false, process.env.npm_config_base)
console.log(JSON.stringify(getResults()))`

// run runs all tests, or the one with an ID, through the cache at base, and returns what the
// suite's client prints.
func (s *suite) run(ctx context.Context, base, id string) ([]byte, error) {
	settings := map[string]string{"base": base, "id": id}
	if id != "" {
		return s.output(ctx, settings, "node", "--no-warnings", "test-engine/cli.mjs")
	}
	return s.output(ctx, settings, "node", "--no-warnings", "--input-type=module", "-e", sectionBySection)
}

// command returns a command in the suite's directory. The suite reads its settings from the
// environment, as npm sets them.
func (s *suite) command(ctx context.Context, settings map[string]string, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...) // #nosec G204 -- commands of this file
	c.Dir = s.dir
	c.Env = os.Environ()
	for key, value := range settings {
		c.Env = append(c.Env, "npm_config_"+key+"="+value, "npm_package_config_"+key+"="+value)
	}
	return c
}

func (s *suite) output(ctx context.Context, settings map[string]string, name string, args ...string) ([]byte, error) {
	c := s.command(ctx, settings, name, args...)
	var failed bytes.Buffer
	c.Stderr = &failed
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, failed.Bytes())
	}
	return out, nil
}
