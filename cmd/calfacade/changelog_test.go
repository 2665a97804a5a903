package main

import (
	"regexp"
	"slices"
	"testing"
	"time"
)

// TestChangelog holds that .ci/release finds the notes of a version: sections have a version and a date, the newest first,
// below the one for changes that are not released.
func TestChangelog(t *testing.T) {
	headings := regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(readFile(t, "../../CHANGELOG.md"), -1)
	if len(headings) < 2 || headings[0][1] != "[Unreleased]" {
		t.Fatalf("headings %q", headings)
	}
	released := regexp.MustCompile(`^\[\d+\.\d+\.\d+\] - (\S+)$`)
	var dates []string
	for _, heading := range headings[1:] {
		match := released.FindStringSubmatch(heading[1])
		if match == nil {
			t.Fatalf("%q is not a version with a date", heading[1])
		}
		if _, err := time.Parse(time.DateOnly, match[1]); err != nil {
			t.Error(err)
		}
		dates = append(dates, match[1])
	}
	if slices.Reverse(dates); !slices.IsSorted(dates) {
		t.Errorf("dates from the oldest: %v", dates)
	}
}
