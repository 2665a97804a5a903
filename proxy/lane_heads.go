package proxy

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// heads are those of an entry's answers, by variant. They are kept beside the entry
// (see [cache.Cache.Prepare]), which is all that they depend on but for the edge: a
// language has keys of its own. Heads that are there are never changed.
type heads struct {
	edge uint64 // its number, of which they are
	of   [16]*head
}

// number of a variant among the heads.
func (v variant) number(origin, secure bool) int {
	n := 0
	for i, is := range []bool{v.zipped, v.known, origin, secure} {
		if is {
			n |= 1 << i
		}
	}
	return n
}

// headOf gives the head of a variant of an entry, if there is one.
func (e *edge) headOf(entry *cache.Entry, n int) *head {
	if all, ok := entry.Prepared().(*heads); ok && all.edge == e.number {
		return all.of[n]
	}
	return nil
}

// keepHead keeps the head of a variant beside those that there are. One that somebody
// else keeps at the same time may be lost, and is made again.
func (f *Facade) keepHead(key string, entry *cache.Entry, n int, h *head) {
	all := heads{edge: f.edge.number}
	if before, ok := entry.Prepared().(*heads); ok && before.edge == all.edge {
		all = *before
	}
	all.of[n] = h
	size := headsOverhead
	for _, h := range all.of {
		size += h.size()
	}
	f.options.Cache.Prepare(key, entry, &all, size)
}

// edges counts those that were made.
var edges atomic.Uint64

// head is that of an answer, but for what depends on the moment.
type head struct {
	text   []byte
	pieces []headPiece
}

// headPiece is where text ends, with the value that follows it.
type headPiece struct {
	end  int
	then headValue
}

// headValue is one that each answer has its own of.
type headValue uint8

const (
	nothing headValue = iota
	theAge
	theCacheStatus
	theID
	theDate
)

var headValues = map[string]headValue{"Age": theAge, "Cache-Status": theCacheStatus, "X-Request-Id": theID}

// What is taken beside the texts, in bytes: heads with what holds them, and a head with its
// pieces.
const (
	headsOverhead = 144 + 24
	headOverhead  = 48 + 80
)

// size is what the head takes, in bytes.
func (h *head) size() int {
	if h == nil {
		return 0
	}
	return headOverhead + cap(h.text)
}

// prepare has respondEntry write the answer, and keeps its head in the order and the
// spelling of net/http. It is nil for one that net/http would change.
func (x *exchange) prepare(h *laneHead, got cache.Result) *head {
	w := &headWriter{header: http.Header{"X-Request-Id": {""}}}
	x.out = recorder{ResponseWriter: w}
	forwarded := x.in.Header
	x.in.Header = h.header(forwarded)
	x.respondEntry(got)
	x.in.Header = forwarded
	for _, name := range []string{"Connection", "Date", "Trailer", "Transfer-Encoding"} {
		if w.header[name] != nil {
			return nil
		}
	}
	return w.head()
}

type headWriter struct {
	header http.Header
	status int
}

func (w *headWriter) Header() http.Header         { return w.header }
func (w *headWriter) WriteHeader(status int)      { w.status = status }
func (w *headWriter) Write(b []byte) (int, error) { return len(b), nil }

func (w *headWriter) head() *head {
	var text bytes.Buffer
	pieces := make([]headPiece, 0, len(headValues)+2)
	cut := func(then headValue) { pieces = append(pieces, headPiece{text.Len(), then}) }
	text.WriteString("HTTP/1.1 " + strconv.Itoa(w.status) + " " + http.StatusText(w.status) + "\r\n")
	for _, name := range slices.Sorted(maps.Keys(w.header)) {
		if then := headValues[name]; then != nothing {
			text.WriteString(name + ": ")
			cut(then)
			text.WriteString("\r\n")
			continue
		}
		_ = http.Header{name: w.header[name]}.Write(&text) // a buffer does not fail
	}
	text.WriteString("Date: ")
	cut(theDate)
	text.WriteString("\r\n\r\n")
	cut(nothing)
	return &head{bytes.Clone(text.Bytes()), pieces}
}

// write appends the head of the answer.
func (h *head) write(b []byte, got cache.Result, id string, date []byte) []byte {
	start := 0
	for _, p := range h.pieces {
		b = append(b, h.text[start:p.end]...)
		start = p.end
		switch p.then {
		case theAge:
			b = strconv.AppendInt(b, int64(got.Age/time.Second), 10)
		case theCacheStatus:
			b = append(b, cacheStatus(got)...)
		case theID:
			b = append(b, id...)
		case theDate:
			b = append(b, date...)
		}
	}
	return b
}
