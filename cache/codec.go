package cache

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/cespare/xxhash/v2"
)

// The encoding of an entry in Redis: a version, a head with all text, the bodies and, if there
// is one, the delta, each with its length, and a checksum of everything before it. The head has the key, since Redis has
// only its hash. An entry of another version or key, or a damaged one, does not decode; see
// [Decode].
//
// The head begins with the number of its strings: they become one allocation, and one array
// (BenchmarkDecode: 4 allocations for a list with 60 tags, instead of 82).
//
// The version covers the meaning of the tags as well: an entry with tags of another version
// would outlive its purges. It and the kinds of records (record.go) change together then.
const version = "cfe5"

const checksumSize = 8

// ErrForeign is returned for bytes that are no entry of this version and key.
var ErrForeign = errors.New("not an entry of this version and key")

// Encode encodes e for Redis. made is when its fetch began, by the clock that all instances
// share; Created is by the clock of this process.
func Encode(key string, e *Entry, made time.Time) []byte {
	b := make([]byte, 0, e.size()+2*len(key))
	b = append(b, version...)
	b = appendBytes(b, head(key, e, made))
	b = appendBytes(b, e.Body)
	b = appendBytes(b, e.Gzip)
	if e.Delta != nil {
		b = appendBytes(b, e.Delta)
	}
	return checksummed(b)
}

func head(key string, e *Entry, made time.Time) []byte {
	strings := len(e.Tags)
	for _, f := range e.Fields {
		strings += len(f.Values)
	}
	b := binary.AppendUvarint(nil, uint64(strings))
	b = appendBytes(b, key)
	b = binary.AppendUvarint(b, uint64(e.Status))
	b = binary.AppendUvarint(b, uint64(e.Position))
	b = binary.AppendUvarint(b, uint64(max(0, made.UnixMilli())))
	for _, d := range []time.Duration{e.Life.Fresh, e.Life.StaleWhileRevalidate, e.Life.StaleIfError} {
		b = binary.AppendUvarint(b, uint64(d))
	}
	b = appendBytes(b, e.ETag)
	b = binary.AppendUvarint(b, uint64(len(e.Fields)))
	for _, f := range e.Fields {
		b = appendAll(appendBytes(b, f.Name), f.Values)
	}
	b = appendAll(b, e.Tags)
	if e.Aged > 0 {
		b = binary.AppendUvarint(b, uint64(e.Aged))
	}
	return b
}

func checksummed(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)) }

// sumOf returns the checksum at the end of an encoded entry.
func sumOf(data []byte) uint64 { return binary.LittleEndian.Uint64(data[len(data)-checksumSize:]) }

func appendBytes[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendAll(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendBytes(b, s)
	}
	return b
}

// Decode decodes an entry of key, and when its fetch began. Its bodies share their memory
// with data. The only error is ErrForeign.
func Decode(key string, data []byte) (e *Entry, made time.Time, err error) {
	end := len(data) - checksumSize
	if end < len(version) || string(data[:len(version)]) != version ||
		sumOf(data) != xxhash.Sum64(data[:end]) {
		return nil, made, ErrForeign
	}
	d := decoder{data: data[len(version):end]}
	h := decoder{data: d.bytes()}
	h.text = string(h.data)
	h.strings = make([]string, 0, h.count())
	if h.string() != key {
		return nil, made, ErrForeign
	}
	e = &Entry{Status: int(h.number()), Position: redisstore.Position(h.number()), held: len(h.data)}
	if e.Status != hitForMiss && (e.Status < 200 || e.Status > 599) {
		return nil, made, ErrForeign // net/http would panic
	}
	made = time.UnixMilli(int64(h.duration()))
	e.Life = Life{Fresh: h.duration(), StaleWhileRevalidate: h.duration(), StaleIfError: h.duration()}
	e.ETag = h.string()
	e.Fields = make([]Field, h.count())
	for i := range e.Fields {
		e.Fields[i] = Field{Name: h.string(), Values: h.all()}
	}
	e.Tags = h.all()
	if !h.bad && h.at < len(h.data) {
		e.Aged = h.duration()
	}
	e.Body = d.bytes()
	if e.Gzip = d.bytes(); len(e.Gzip) == 0 {
		e.Gzip = nil
	}
	if !d.bad && d.at < len(d.data) {
		e.Delta = d.bytes()
	}
	if d.bad || h.bad || d.at < len(d.data) || h.at < len(h.data) {
		return nil, made, ErrForeign
	}
	return e, made, nil
}

// decoder reads parts; after one that does not fit, all are empty.
type decoder struct {
	data    []byte
	text    string // the same, for strings
	strings []string
	at      int
	bad     bool
}

func (d *decoder) fail() { d.bad, d.at = true, len(d.data) }

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.data[d.at:])
	if size <= 0 {
		d.fail()
		return 0
	}
	d.at += size
	return n
}

// count reads a number of parts, each of which takes at least a byte.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(len(d.data)-d.at) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) bytes() []byte {
	n := d.count()
	d.at += n
	return d.data[d.at-n : d.at : d.at]
}

func (d *decoder) string() string {
	n := d.count()
	d.at += n
	return d.text[d.at-n : d.at]
}

func (d *decoder) all() []string {
	first := len(d.strings)
	for range d.count() {
		d.strings = append(d.strings, d.string())
	}
	return d.strings[first:len(d.strings):len(d.strings)]
}

func (d *decoder) duration() time.Duration {
	n := time.Duration(d.number())
	if n < 0 {
		d.fail()
		return 0
	}
	return n
}
