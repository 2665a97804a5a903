// Package logging opens the log of the program: JSON, or text on a terminal, with records of
// requests gathered. Whoever reads the log cannot stop the program.
//
// Start with [Open] in log.go; queue.go writes in the background.
package logging
