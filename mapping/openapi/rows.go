package openapi

import "github.com/calfacade/calfacade/mapping"

// among selects endpoints.
type among uint8

const (
	allRows   among = iota
	forwarded       // what the legacy answers
	indexOnly       // requests for a namespace
	reads304        // what has a validator
	notIndex        // what has one, or changes what has one
	readRows        // reads of the legacy
	listRows        // lists
	writeRows       // what changes something
	createRows
	updateRows
	trashRows // what deletes what can be in the trash
)

func (a among) has(e *mapping.Endpoint) bool {
	switch a {
	case allRows:
		return true
	case forwarded:
		return !e.Local()
	case indexOnly:
		return e.Action == mapping.Index
	case reads304:
		return !e.Writes() && e.Action != mapping.Index
	case notIndex:
		return e.Action != mapping.Index
	case readRows:
		return !e.Writes() && !e.Local()
	case listRows:
		return e.Action == mapping.List
	case writeRows:
		return e.Writes()
	case createRows:
		return e.Action == mapping.Create
	case updateRows:
		return e.Action == mapping.Update
	case trashRows:
		return e.Action == mapping.Delete && !e.OfTerms()
	}
	panic("BUG: not a kind of rows")
}
