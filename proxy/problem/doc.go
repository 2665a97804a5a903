// Package problem is what went wrong as clients see it: WordPress's envelope of an error, or
// problem details (RFC 9457) where a client prefers them.
//
// An [Error] keeps its public part, which goes to the client in the client's language, apart
// from its cause, which goes to the log alone. [Of] maps the errors of all steps of a request
// to statuses, here and nowhere else.
package problem
