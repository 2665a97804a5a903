package audit

// Cause is why an answer is stale: the first in the order of [evidence.cause] for which there is
// evidence. Every finding has exactly one.
type Cause string

// The causes. What differs is an item, or a list if no item can be named.
const (
	AnotherInstance Cause = "another_instance" // this instance cannot read the purge log: the purges of others do not arrive
	PurgeLate       Cause = "purge_late"       // a purge of what differs came after the finding
	PurgeMissing    Cause = "purge_missing"    // none came, but the site has sent others within a day
	WithinTTL       Cause = "within_ttl"       // the site has sent no purge within a day: the entry is as old as its time to live permits
	Write           Cause = "write"            // a write through a facade named what differs, and its purge missed the entry
	WrongTag        Cause = "wrong_tag"        // another purge named what differs, and missed the entry, which lacks the tag
)

// Causes are all causes, sorted.
var Causes = []Cause{AnotherInstance, PurgeLate, PurgeMissing, WithinTTL, Write, WrongTag}

// Hint returns what an operator can do about a cause.
func (c Cause) Hint() string { return hints[c] }

var hints = map[Cause]string{
	AnotherInstance: "Redis does not answer this instance, so that it does not get the purges of others.",
	PurgeLate:       "The site sends purges late: does its WP-Cron run?",
	PurgeMissing:    "The site sends purges, but none for this change: look for errors of the plugin in the log of PHP, and for changes that bypass WordPress.",
	WithinTTL:       "No purge of the site has arrived within a day, or since the start: is the plugin installed, with the right URL and token?",
	Write:           "A write through the API named the item, but its purge missed the response. Please report this.",
	WrongTag:        "A purge named the item, but the response lacked its tag, or the purge a list. Please report this.",
}

// evidence is what is known of a finding.
type evidence struct {
	lost    bool // the purge log cannot be read
	named   bool // a purge after the fetch named what differs
	written bool // that was the purge of a write
	late    bool // a purge of what differs came after the finding
	purges  bool // the site has sent a purge within a day
}

// decided reports whether the cause does not depend on what comes later.
func (e evidence) decided() bool { return e.lost || e.named || e.late }

func (e evidence) cause() Cause {
	switch {
	case e.lost:
		return AnotherInstance
	case e.named && e.written:
		return Write
	case e.named:
		return WrongTag
	case e.late:
		return PurgeLate
	case e.purges:
		return PurgeMissing
	}
	return WithinTTL
}
