package scale

// Commands counts the commands that instances send to Redis, by what they are for. A script
// is one command. TestCommands compares the counts with those of a real Redis.
type Commands struct {
	Checks  int64 // of the end of the log: a transaction (cache/redisstore/snapshot.go)
	Reads   int64 // of the log, which wait for records: XREAD (tail.go)
	Appends int64 // to the log: EVALSHA (append.go)
	Acks    int64 // of purges: PUBLISH (tail.go)
	Lookups int64 // of entries: GET (entry.go)
	Stores  int64 // of entries: SET (entry.go)
	Leases  int64 // acquired, renewed and released: EVALSHA (lease.go)
	Polls   int64 // of leases that others hold: GET (lease.go)
}

// perCheck is the number of commands of one check: MULTI, INFO server, INFO replication,
// XINFO STREAM, XREAD, EVAL, HMGET and EXEC.
const perCheck = 8

// Idle returns the commands that do not depend on requests and purges.
func (c Commands) Idle() int64 { return c.Checks + c.Reads }

// Entries returns the commands for entries and leases.
func (c Commands) Entries() int64 { return c.Lookups + c.Stores + c.Leases + c.Polls }

// Total returns all commands.
func (c Commands) Total() int64 { return c.Idle() + c.Appends + c.Acks + c.Entries() }

func (c Commands) minus(o Commands) Commands {
	return Commands{
		c.Checks - o.Checks, c.Reads - o.Reads, c.Appends - o.Appends, c.Acks - o.Acks,
		c.Lookups - o.Lookups, c.Stores - o.Stores, c.Leases - o.Leases, c.Polls - o.Polls,
	}
}
