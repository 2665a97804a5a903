package main

import "fmt"

// report has the results of a check.
type report struct {
	checked  int // texts that the check looked at
	findings []finding
}

// finding is a mistake in a text.
type finding struct {
	file    string
	line    int // from 1
	message string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.message) }

func (r *report) add(file string, line int, format string, args ...any) {
	r.findings = append(r.findings, finding{file: file, line: line, message: fmt.Sprintf(format, args...)})
}
