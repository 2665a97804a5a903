// Package logging opens the log of the program: JSON, or text on a terminal, with records of
// requests buffered.
//
// Start with [Open] in log.go; console.go is the text.
package logging
