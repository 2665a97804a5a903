package main

import "errors"

// Exit statuses. A check that finds problems exits with exitFail.
const (
	exitOK    = 0
	exitFail  = 1
	exitUsage = 2

	exitNoVerdict = 3 // of a comparison that could not compare everything
)

// exitError is an error with an exit status other than exitFail.
type exitError struct {
	error
	status int
	help   string // printed after the error
}

// usageError returns the error of wrong arguments.
func usageError(err error) error { return exitError{error: err, status: exitUsage} }

// noVerdict returns the error of a comparison that did not complete. An error with an exit status keeps that
// status.
func noVerdict(err error) error {
	if _, ok := errors.AsType[exitError](err); ok {
		return err
	}
	return exitError{error: err, status: exitNoVerdict}
}

// errProblems is the error of a command that has already printed the problems.
var errProblems = errors.New("")
