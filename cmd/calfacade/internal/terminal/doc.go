// Package terminal makes texts of sites and clients safe to print: what a
// terminal would interpret is escaped.
package terminal
