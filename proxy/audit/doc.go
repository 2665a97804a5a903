// Package audit checks that a facade serves what the site would say: it reads a sample of the
// served answers again at the site, and compares the response with what the cache holds now.
//
// An [Auditor] belongs to a facade. auditor.go takes the samples, run.go has the loop, and
// examine.go audits one sample; differing.go names what differs. A response that differs twice is a suspicion; findings.go confirms it if
// the cache still serves the entry after the grace period, and then decides on the [Cause]
// (cause.go), for which it may wait. A [Ledger] outlives the facade: ledger.go counts,
// estimate.go estimates the share of stale answers, and purges.go knows which purges came.
//
// Only entries that the cache serves as fresh are audited, and none that a purge, a write in
// progress or another fetch reaches meanwhile. So a site whose purges arrive has no findings.
package audit
