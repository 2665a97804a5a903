package cache

import (
	"strings"
	"time"
)

// Purge invalidates the entries that show any of its tags.
type Purge struct {
	Tags []string
	All  bool // all entries, whatever their tags
	Soft bool // they may still be served stale

	From string // the cause, for [Cache.Recent] of this process
}

// The causes of purges that others than their makers distinguish.
const (
	FromHTTP  = "http" // requested by HTTP, by the site as a rule
	FromWrite = "write"
)

// record is a record of the log: mostly a purge. See [Announcement] for the others.
type record struct {
	Purge

	settles string    // ID of the doubt that it ends; "" is none
	doubt   string    // ID of the doubt that begins about the tags; "" is none
	began   time.Time // when the doubt began, by the clock of the cache
	note    bool      // it purges nothing
	space   string    // the [Options.TagSpace] of its cache
}

// The kinds of records in the shared log. Each version of the tags has its own: while
// instances of two versions run side by side, each purges everything for a record of the
// other version. Likewise for a tag space, which follows after a dot; see [record.in].
const (
	hardRecord = "hard2"
	softRecord = "soft2"
)

// Other content is in lines before the tags. Versions that do not know them treat them as
// tags that no entry has. No tag begins so.
const (
	lineNote    = "!note"
	lineSettles = "!settles "
	lineDoubt   = "!doubt "
)

// encode encodes the record for the shared log. Tags contain no line ends.
func (p record) encode() []byte {
	kind := hardRecord
	if p.Soft || p.note {
		kind = softRecord
	}
	if p.space != "" {
		kind += "." + p.space
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

// decodeRecord decodes a record. One that it cannot decode purges everything: it may have
// been any purge.
func decodeRecord(data []byte) record {
	head, tags, found := strings.Cut(string(data), "\n")
	kind, all, _ := strings.Cut(head, " ")
	kind, space, _ := strings.Cut(kind, ".")
	p := record{Purge: Purge{Soft: kind == softRecord, All: all == "all"}, space: space}
	if kind != softRecord && kind != hardRecord || !found && !p.All {
		return record{Purge: Purge{All: true}}
	}
	for line := range strings.SplitSeq(tags, "\n") {
		p.read(line)
	}
	return p
}

// in returns the record in the tags of a space. Those of another one may lack some: an instance that
// serves fewer languages of a site names fewer lists. So what it purges, or puts in doubt, is
// everything.
func (p record) in(space string) record {
	if p.space != space {
		p.Tags, p.All = nil, !p.note
	}
	return p
}

// PurgeOf returns the purge that a record of the log makes, in the tags of a tag space; ok is false if
// it makes none.
func PurgeOf(data []byte, space string) (p Purge, ok bool) {
	r := decodeRecord(data).in(space)
	return r.Purge, !r.note
}

// read decodes a line after the first.
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
