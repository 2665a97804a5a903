package main

import (
	"encoding/json"
	"fmt"
	"slices"
)

// results are those of one cache, by test.
type results map[string]result

// result is the outcome of a test as the suite's client reports it.
type result struct {
	passed bool
	setup  bool   // what the test needs to start with was not so
	reason string // "" if it passed
}

// readResults reads a file of results: true, or a pair of error and message, for each test.
func readResults(data []byte) (results, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	all := results{}
	for id, value := range raw {
		var pair [2]string
		switch {
		case string(value) == "true":
			all[id] = result{passed: true}
		case json.Unmarshal(value, &pair) == nil:
			all[id] = result{setup: pair[0] == "Setup", reason: pair[0] + ": " + pair[1]}
		default:
			return nil, fmt.Errorf("%s: %s", id, value)
		}
	}
	return all, nil
}

// outcome is what a result means, by the rules of the suite.
type outcome string

const (
	passed     outcome = "pass"
	failed     outcome = "fail"
	dependency outcome = "dependency failed" // a test that this one builds on did not pass
	setup      outcome = "setup failed"
	untested   outcome = "untested"
)

// judge returns the outcome of a test. It passes only if the tests that it depends on do, but
// for those in without.
func (s *suite) judge(all results, id string, without []string) outcome {
	got, ok := all[id]
	if !ok {
		return untested
	}
	for _, needed := range s.test(id).DependsOn {
		if !slices.Contains(without, needed) && s.judge(all, needed, without) != passed {
			return dependency
		}
	}
	switch {
	case got.passed:
		return passed
	case got.setup:
		return setup
	}
	return failed
}

// test returns the test with an ID; the zero test if there is none.
func (s *suite) test(id string) test {
	for _, section := range s.sections {
		for _, t := range section.Tests {
			if t.ID == id {
				return t
			}
		}
	}
	return test{}
}
