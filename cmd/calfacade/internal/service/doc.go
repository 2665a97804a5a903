// Package service serves a configuration: it opens listeners, turns the configuration into the options of a facade
// (wire.go), keeps the facade with its cache and its Redis as one generation (generation.go), replaces that generation on
// reload (reload.go), and drains at the end (serve.go, front.go). migration.go is the door of a migration.
package service
