// Package usage renders what commands say about themselves: their help, and the manual page.
//
// Start with [Help] in help.go; man.go is the manual page.
package usage
