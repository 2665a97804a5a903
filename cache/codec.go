package cache

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/cespare/xxhash/v2"
)

// The form of an entry in Redis: a version, the parts with their lengths, and a
// checksum of all before it. The key is among the parts, since Redis knows it by
// its hash alone. What is older or newer, damaged or somebody else's does not
// decode; see [Decode].
const version = "cfe1"

const checksumSize = 8

// ErrForeign says that bytes are no entry of this version and key.
var ErrForeign = errors.New("not an entry of this version and key")

// Encode gives e in the form for Redis.
func Encode(key string, e *Entry) []byte {
	b := make([]byte, 0, e.size()+len(key))
	b = append(b, version...)
	b = appendBytes(b, key)
	b = binary.AppendUvarint(b, uint64(e.Status))
	b = binary.AppendUvarint(b, uint64(e.Position))
	for _, d := range []time.Duration{e.Life.Fresh, e.Life.Revalidate, e.Life.OnError} {
		b = binary.AppendUvarint(b, uint64(d))
	}
	b = appendBytes(b, e.ETag)
	b = appendBytes(b, e.Body)
	b = appendBytes(b, e.Gzip)
	b = binary.AppendUvarint(b, uint64(len(e.Fields)))
	for _, f := range e.Fields {
		b = appendAll(appendBytes(b, f.Name), f.Values)
	}
	b = appendAll(b, e.Tags)
	return checksummed(b)
}

func checksummed(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)) }

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

// Decode reads an entry of key. It shares its bytes with data. The error is
// ErrForeign, whatever data is.
func Decode(key string, data []byte) (*Entry, error) {
	body := len(data) - checksumSize
	if body < len(version) || string(data[:len(version)]) != version ||
		binary.LittleEndian.Uint64(data[body:]) != xxhash.Sum64(data[:body]) {
		return nil, ErrForeign
	}
	d := decoder{rest: data[len(version):body]}
	if string(d.bytes()) != key {
		return nil, ErrForeign
	}
	e := &Entry{Status: int(d.number()), Position: Position(d.number())}
	e.Life = Life{Fresh: d.duration(), Revalidate: d.duration(), OnError: d.duration()}
	e.ETag = string(d.bytes())
	e.Body = d.bytes()
	if e.Gzip = d.bytes(); len(e.Gzip) == 0 {
		e.Gzip = nil
	}
	for range d.count() {
		e.Fields = append(e.Fields, Field{Name: string(d.bytes()), Values: d.all()})
	}
	e.Tags = d.all()
	if d.bad || len(d.rest) > 0 {
		return nil, ErrForeign
	}
	return e, nil
}

// decoder reads parts; once one does not fit, all that follow are empty.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) bytes() []byte {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return nil
	}
	var s []byte
	s, d.rest = d.rest[:n:n], d.rest[n:]
	return s
}

// count is a number of parts, each of which takes a byte at least.
func (d *decoder) count() uint64 {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return 0
	}
	return n
}

func (d *decoder) all() []string {
	var list []string
	for range d.count() {
		list = append(list, string(d.bytes()))
	}
	return list
}

func (d *decoder) duration() time.Duration {
	n := time.Duration(d.number())
	if n < 0 {
		d.bad = true
		return 0
	}
	return n
}
