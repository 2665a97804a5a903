package rewrite

import (
	"bytes"
	"context"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// walker goes through a response with its shape.
type walker struct {
	jsonscan.Scanner
	ctx      context.Context // of the pass
	looked   int             // offset of the last look at ctx
	stopped  error           // of ctx, which ended the pass
	rewriter *Rewriter
	call     *mapping.Call
	at       answering
	old      bool // a success is written in the legacy's names; see legacy.go
	out      []byte
	copied   int    // how much of src is in out, as it was or replaced
	plain    []byte // the string at hand, where it had to be changed to be compared
	made     []byte // a link at hand that was made from the call
	last     begun
	id       string
	listed   bool // the items of a list are there
	count    Count
	shows    []mapping.Item
	shown    map[mapping.Item]struct{} // the items of shows
	ids      strings.Builder           // those of shows, in one piece of memory
}

// bytesPerLook is how many bytes the walker reads between two looks at its context, which then
// cost nothing beside them.
const bytesPerLook = 16 << 10

// More is [jsonscan.Scanner.More] until the context of the pass is done.
func (w *walker) More(closing byte) bool {
	if w.Pos-w.looked >= bytesPerLook && w.stopped == nil {
		w.looked = w.Pos
		if w.stopped = w.ctx.Err(); w.stopped != nil {
			w.Pos = len(w.Src) // where every method fails
		}
	}
	return w.Scanner.More(closing)
}

// item is what the walker remembers of the object it is in.
type item struct {
	resource string
	page     []byte // its URL on the site, as src has it
}

// begun is how the REST link before began, there and here. The links of an
// answer begin alike, so that most need no more than that: BenchmarkRewrite/list
// takes 59 µs instead of 86.
type begun struct {
	from, to []byte
	naming   []byte // ends the link here
	slash    string
}

func (b *begun) remember(s, head, rest, naming []byte, escaped bool) {
	*b = begun{slash: "/"}
	if escaped {
		b.slash = `\/`
	}
	if from, ok := bytes.CutSuffix(s, rest); ok && bytes.IndexByte(rest, '?') < 0 {
		b.from, b.to, b.naming = from, head, naming
	}
}

// splice begins to replace what is between start and here.
func (w *walker) splice(start int) {
	w.out = append(w.out, w.Src[w.copied:start]...)
	w.copied = w.Pos
}

// put writes a link in its quotes, and returns its two parts as they are written.
func (w *walker) put(l link, escaped bool) (head, rest []byte) {
	write := func(part []byte) []byte {
		start := len(w.out)
		if escaped {
			w.out = jsonscan.AppendSlashed(w.out, part)
		} else {
			w.out = append(w.out, part...)
		}
		return w.out[start:]
	}
	w.out = append(w.out, '"')
	head, rest = write(l.head), write(l.rest)
	w.out = append(w.out, l.naming...)
	w.out = append(w.out, '"')
	return head, rest
}

// unescaped returns s without the escapes of printable ASCII, valid until the next call.
// slashed reports whether a slash of s was escaped.
func (w *walker) unescaped(s []byte) (plain []byte, slashed bool) {
	if bytes.IndexByte(s, '\\') < 0 {
		return s, false
	}
	w.plain, slashed = jsonscan.AppendUnescaped(w.plain[:0], s)
	return w.plain, slashed
}

// keep returns the text of an id that outlives src.
func (w *walker) keep(number []byte) string {
	start := w.ids.Len()
	w.ids.Write(number)
	return w.ids.String()[start:]
}
