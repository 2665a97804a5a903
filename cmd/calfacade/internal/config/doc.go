// Package config reads the configuration of a calfacade process: defaults, a YAML file, environment variables
// and files of secrets become one validated [Config], or errors that name the line or the key. The package
// opens no connection and starts nothing.
//
// Start reading at [Config], where the comments are the manual, and at [Parse].
// [Changed] compares two configurations for a reload.
package config
