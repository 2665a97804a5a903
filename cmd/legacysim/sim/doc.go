// Package sim is a stand-in for the legacy site: a WordPress with The Events Calendar, speaking
// tribe/events/v1 in four languages, with its quirks. It is for the demo, the tests and the benchmarks of a
// facade; nothing in it is meant to be better than the original.
//
// It knows lists with all filters, items with ids and a trash, roles, and the consequences of writes, for requests that a
// facade sends: values that are wrong by themselves, and other forms of requests and answers, are left to the recordings
// of real sites. The stand-in words its errors itself; statuses, codes and members are as at a real site.
//
// Start reading at answer.go (one request from end to end) and routes.go: routes and arguments derive from the table in
// package mapping, and have the names of the table. Shared types are in site.go and call.go, and the content in model.go
// and blog.go. The effect of writes is in event_write.go and post_write.go. The seed is in content.go and the directory
// seed, and is the same on every start but for the dates, which are relative to the clock. A site can have more
// events, and planted differences from another (plant.go, sow.go), for comparisons of two sites.
//
// Languages are separate sites unless [Options].Languages selects a plugin: language.go has the ways of these
// plugins, and content.go the content of each language.
//
// Over the same content the stand-in speaks calendar/events/v1, as another site would (neutral.go).
package sim
