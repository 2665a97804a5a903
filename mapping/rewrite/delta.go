package rewrite

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// A delta turns a body in the neutral namespace into its legacy form: the response that the
// legacy gives to clients of its own names. It is a sequence of edits, each of three numbers
// (how many bytes of the body stay, are dropped, and are inserted) and the inserted bytes. What
// follows the last edit stays.
//
// What rewriting loses is in it, such as the query of a list's links, so that the legacy form
// is exact. It has some 3 % of the size of a list (BenchmarkLegacyForm).
type delta struct {
	edits []byte
	end   int // of the last edit, in the body
}

// replaced notes that the body, which ends here, has neutral from start on where the legacy
// form has legacy. Only what differs is kept of them.
func (d *delta) replaced(body []byte, start int, legacy []byte) {
	neutral := body[start:]
	for len(neutral) > 0 && len(legacy) > 0 && neutral[0] == legacy[0] {
		neutral, legacy, start = neutral[1:], legacy[1:], start+1
	}
	for n, m := len(neutral), len(legacy); n > 0 && m > 0 && neutral[n-1] == legacy[m-1]; n, m = n-1, m-1 {
		neutral, legacy = neutral[:n-1], legacy[:m-1]
	}
	if len(neutral) == 0 && len(legacy) == 0 {
		return
	}
	d.edits = binary.AppendUvarint(d.edits, uint64(start-d.end))
	d.edits = binary.AppendUvarint(d.edits, uint64(len(neutral)))
	d.edits = binary.AppendUvarint(d.edits, uint64(len(legacy)))
	d.edits = append(d.edits, legacy...)
	d.end = start + len(neutral)
}

// errDelta is the error of a delta that is not of the body.
var errDelta = errors.New("a delta that is not of this body")

// LegacyForm returns the legacy form of a body. delta is that of its [Result].
func LegacyForm(body, delta []byte) ([]byte, error) {
	out := make([]byte, 0, len(body)+len(delta))
	for len(delta) > 0 {
		var n [3]int
		for i := range n {
			v, size := binary.Uvarint(delta)
			if size <= 0 || v > uint64(len(body)+len(delta)) {
				return nil, errDelta
			}
			n[i], delta = int(v), delta[size:]
		}
		stay, drop, insert := n[0], n[1], n[2]
		if stay > len(body) || drop > len(body)-stay || insert > len(delta) {
			return nil, errDelta
		}
		out = append(append(out, body[:stay]...), delta[:insert]...)
		body, delta = body[stay+drop:], delta[insert:]
	}
	return append(out, body...), nil
}

// renamed returns the legacy form of an error that is in neutral names.
func (r *Rewriter) renamed(body []byte) []byte {
	for i, base := range r.bases {
		for _, slash := range []string{"/", `\/`} {
			from, to := bytes.ReplaceAll(base, []byte("/"), []byte(slash)), bytes.ReplaceAll(r.legacy.bases[i], []byte("/"), []byte(slash))
			body = bytes.ReplaceAll(body, from, to)
		}
	}
	return r.legacy.rename(body)
}
