// Package audit compares a sample of the cached answers of an instance with its site, from outside: as
// any client, and through every cache in front of the instance.
//
// Start with [Check.Run] in run.go. calls.go selects the calls of the sample, and client.go makes them.
package audit
