package proxy

import "fmt"

// notes lists what is unusual in the answer to a list, and is served all the same.
func notes(got reply) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if got.surplus > 0 {
		note("writes %d bytes around its JSON, which are left out: a notice of PHP, or a byte order mark in a file of a plugin or theme", got.surplus)
	}
	return all
}
