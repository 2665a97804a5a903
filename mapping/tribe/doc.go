// Package tribe is the dialect of tribe/events/v1, the REST API of the legacy. The table follows that API,
// except for names and defects. The client of the dialect compensates for the defects: the client reads an item
// before an update that would reset fields, reads a list in parts where a filter applies only the first value,
// sends tags by id, and instants as local times.
//
// Start with [Dialect] and Do in do.go, then in the order of a call: update.go and preserve.go complete an update
// (price.go the price of an event), terms.go finds terms, localtime.go converts dates, union.go joins lists, and
// drift.go compares the response to an update with the request.
//
// Package tec, for the other API of the same plugin, uses [LocalTime], [Drift] and [Slashed].
package tribe
