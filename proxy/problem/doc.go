// Package problem makes the errors that clients see: WordPress's envelope, or problem details
// (RFC 9457) if a client prefers them.
//
// An [Error] separates its public part, which goes to the client in the client's language,
// from its cause, which is only logged. [Of] alone maps the errors of a request to statuses.
package problem
