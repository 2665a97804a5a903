package recording

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Progress is the state of a recording while it is made.
type Progress struct {
	Counts
	Kinds map[string]uint64 // Kept by what the calls are about, such as "events"
	Calls int               // different calls, those of earlier runs included
	Bytes int64             // of the files of all calls
	Last  string            // the call that was written last, below its namespace; "" for none
}

// Progress returns the state of the recording.
func (r *Recorder) Progress() Progress {
	p := r.written.progress()
	p.Counts = r.counted()
	return p
}

// written is what the writing goroutine shows of its work.
type written struct {
	mu    sync.Mutex
	shown Progress // without its Counts
}

// add counts a call that was written, and sets the totals.
func (w *written) add(c *call, namespace string, calls int, bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shown.Kinds == nil {
		w.shown.Kinds = map[string]uint64{}
	}
	w.shown.Kinds[c.resource(namespace)]++
	short := *c
	short.Path = cmp.Or(strings.TrimPrefix(c.Path, "/"+namespace), "/")
	w.shown.Calls, w.shown.Bytes, w.shown.Last = calls, bytes, short.String()
}

func (w *written) progress() Progress {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.shown
	p.Kinds = maps.Clone(p.Kinds)
	return p
}

// namespaceOf returns the namespace of a root, by its name.
func (r *Recorder) namespaceOf(root string) string {
	at := slices.IndexFunc(r.roots, func(k knownRoot) bool { return k.name == root })
	if at < 0 {
		return ""
	}
	return r.roots[at].namespace
}
