// Package terminal is what the commands know about terminals: whether there is one. It makes texts of sites and clients safe to print, by escaping what a terminal would
// interpret, and keeps a status line below what else is printed.
package terminal
