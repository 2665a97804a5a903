package redisstore

import (
	"errors"
	"fmt"
	"strconv"
)

// Decisions are what the instances have decided together, beside the purge log: one text, which
// only a change from the latest version replaces. The log announces each version, and a check of
// its end compares the version with the one that is known. So an instance that has looked knows
// the decisions.
type Decisions struct {
	Version uint64 // 0: nothing has been decided
	ID      string // of the change that made this version; random
	State   []byte // as the writer encoded it
}

// same reports whether o is the same version, made by the same change.
func (d Decisions) same(o Decisions) bool { return d.Version == o.Version && d.ID == o.ID }

// text identifies a version to the scripts.
func (d Decisions) text() string { return strconv.FormatUint(d.Version, 10) + " " + d.ID }

// Change replaces a version of the decisions.
type Change struct {
	From  Decisions // the version that it is made from
	Above uint64    // the new version is above this one, too
	State []byte

	Audit   [][]byte // records for the audit log
	Forget  []string // names whose numbers start again at 0, see [Store.Tally]
	Without []string // names that must have no number: else [ErrCounted]
}

// The errors of Decide.
var (
	ErrChanged = errors.New("redis: the decisions have changed")
	ErrCounted = errors.New("redis: the change needs names without numbers")
)

// decisionsOf reads the fields v, id and, if it was read, s.
func decisionsOf(fields []any) (d Decisions, err error) {
	if len(fields) < 2 || fields[0] == nil {
		return Decisions{}, nil
	}
	version, _ := fields[0].(string)
	d.ID, _ = fields[1].(string)
	if d.Version, err = strconv.ParseUint(version, 10, 64); err != nil {
		return Decisions{}, fmt.Errorf("redis: version of the decisions: %w", err)
	}
	if len(fields) > 2 {
		state, _ := fields[2].(string)
		d.State = []byte(state)
	}
	return d, nil
}
