package cache

import (
	"strings"
	"time"
)

// record is what the log says at one place: mostly a purge. See [Announcement] for the
// rest.
type record struct {
	Purge

	settles string    // the doubt that is over; "" is none
	doubt   string    // what shows the tags is in doubt from now on; "" is no doubt
	began   time.Time // the doubt, by the clock of the cache
	note    bool      // nothing is purged
}

// The kinds of records in the shared log. Each version of the tags has its own: while
// instances of two versions run side by side, each purges everything where the other
// purges what it cannot name.
const (
	hardRecord = "hard2"
	softRecord = "soft2"
)

// What is said beside the tags are lines before them, which versions that do not know
// them take for tags that nothing has. No tag begins so.
const (
	lineNote    = "!note"
	lineSettles = "!settles "
	lineDoubt   = "!doubt "
)

// encode gives the record as it stands in the shared log. Tags have no line ends.
func (p record) encode() []byte {
	kind := hardRecord
	if p.Soft || p.note {
		kind = softRecord
	}
	if p.All {
		kind += " all"
	}
	var lines []string
	if p.note {
		lines = append(lines, lineNote)
	}
	if p.settles != "" {
		lines = append(lines, lineSettles+p.settles)
	}
	if p.doubt != "" {
		lines = append(lines, lineDoubt+p.doubt)
	}
	if lines = append(lines, p.Tags...); p.All && len(lines) == 0 {
		return []byte(kind)
	}
	return []byte(kind + "\n" + strings.Join(lines, "\n"))
}

// decodeRecord reads a record. One that it cannot read ends everything: somebody
// wanted something ended.
func decodeRecord(data []byte) record {
	head, tags, found := strings.Cut(string(data), "\n")
	kind, all, _ := strings.Cut(head, " ")
	p := record{Purge: Purge{Soft: kind == softRecord, All: all == "all"}}
	if kind != softRecord && kind != hardRecord || !found && !p.All {
		return record{Purge: Purge{All: true}}
	}
	for line := range strings.SplitSeq(tags, "\n") {
		p.read(line)
	}
	return p
}

// read reads a line behind the first.
func (p *record) read(line string) {
	switch name, id, _ := strings.Cut(line, " "); name + " " {
	case lineNote + " ":
		p.note = true
	case lineSettles:
		p.settles = id
	case lineDoubt:
		p.doubt = id
	default:
		if line != "" {
			p.Tags = append(p.Tags, line)
		}
	}
}
