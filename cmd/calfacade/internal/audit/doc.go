// Package audit compares a sample of the cached answers of a facade with its sites, from outside: as any
// client, and through every cache in front of the facade.
//
// Start with [Auditor.Run] in auditor.go. sample.go selects the calls, and result.go reports what was found.
package audit
