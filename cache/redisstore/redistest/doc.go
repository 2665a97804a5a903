// Package redistest starts real Redis servers for tests, alone, as a cluster and with
// Sentinels, and kills, freezes and empties them.
package redistest
