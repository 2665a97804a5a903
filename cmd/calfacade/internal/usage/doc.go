// Package usage renders the documentation of the commands: their help, and the manual page.
//
// Start with [Help] in help.go; man.go is the manual page.
package usage
