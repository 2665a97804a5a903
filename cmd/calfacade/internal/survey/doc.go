// Package survey reads everything that a calendar shows. [Comparison] compares a candidate with the legacy
// site, [Warmer] fills the cache of a running facade, and [Auditor] compares a sample of a facade's cached
// answers with the sites, from outside, through every cache in front of the facade. All read lists page by
// page and then item by item, at a limited pace ([Paced]).
//
//	walk.go        the walk through lists and items
//	comparison.go  the comparison of the lists of a resource, and of items
//	client.go      a [Reader] of a facade, and the links of a report
//	report.go      the [DiffReport] and its verdict; [compare.Findings] collects the differences
//	print.go       the report for a terminal, as a page and as JSON
//	journal.go     the items that an interrupted comparison has compared
//	warmer.go      [Warmer]
//	audit.go       [Auditor]
package survey
