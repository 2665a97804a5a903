package openapi

import "github.com/calfacade/calfacade/mapping"

// among reports whether a part of the document is about an endpoint.
type among func(e *mapping.Endpoint) bool

func allRows(*mapping.Endpoint) bool { return true }

// forwarded selects the rows that the legacy answers.
func forwarded(e *mapping.Endpoint) bool { return !e.Local() }

// reads304 selects the reads whose response has a validator.
func reads304(e *mapping.Endpoint) bool { return !e.Writes() && notIndex(e) }

// notIndex selects the rows whose response has a validator, and writes to their items.
func notIndex(e *mapping.Endpoint) bool { return e.Action != mapping.Index }

func listRows(e *mapping.Endpoint) bool { return e.Action == mapping.List }

func writeRows(e *mapping.Endpoint) bool { return e.Writes() }

func createRows(e *mapping.Endpoint) bool { return e.Action == mapping.Create }

func updateRows(e *mapping.Endpoint) bool { return e.Action == mapping.Update }

// trashRows selects the deletions of items that stay in the trash.
func trashRows(e *mapping.Endpoint) bool { return e.Action == mapping.Delete && !e.OfTerms() }
