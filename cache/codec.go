package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/cespare/xxhash/v2"
)

// The encoding of an entry in Redis: a version, parts, each with its length before it, and a checksum
// of everything before that. The parts are the key, since Redis has only its hash, the numbers, the
// ETag, the tags, the bodies, and each field. Lists are in lines: neither tags nor fields
// contain line ends. An entry of another version or key, or a damaged one, does not decode; see
// [Decode].
//
// The version covers the meaning of the tags as well: an entry with tags of another version
// would outlive its purges. It and the version of the records (record.go) change together then.
const version = "cfe7"

const checksumSize = 8

// The parts; fields follow.
const (
	keyPart = iota
	numbersPart
	etagPart
	tagsPart
	bodyPart
	gzipPart
	fieldParts
)

// ErrForeign is returned for bytes that are no entry of this version and key.
var ErrForeign = errors.New("not an entry of this version and key")

// Encode encodes e for Redis. made is when its fetch began, by the clock that all instances
// share; Created is by the clock of this process.
func Encode(key string, e *Entry, made time.Time) []byte {
	numbers := fmt.Sprint(e.Status, uint64(e.Position), max(0, made.UnixMilli()),
		int64(e.Life.Fresh), int64(e.Life.StaleWhileRevalidate), int64(e.Life.StaleIfError), int64(e.Aged))
	b := make([]byte, 0, int(e.weight(key)))
	b = append(b, version...)
	for _, text := range []string{key, numbers, e.ETag, strings.Join(e.Tags, "\n")} {
		b = appendPart(b, text)
	}
	for _, body := range [][]byte{e.Body, e.Gzip} {
		b = appendPart(b, body)
	}
	for _, f := range e.Fields {
		b = appendPart(b, f.Name+"\n"+strings.Join(f.Values, "\n"))
	}
	return checksummed(b)
}

func appendPart[T string | []byte](b []byte, part T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

func checksummed(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)) }

// Decode decodes an entry of key, and when its fetch began. Its bodies share their memory
// with data. The only error is ErrForeign.
func Decode(key string, data []byte) (e *Entry, made time.Time, err error) {
	end := len(data) - checksumSize
	if end < len(version) || string(data[:len(version)]) != version ||
		binary.LittleEndian.Uint64(data[end:]) != xxhash.Sum64(data[:end]) {
		return nil, made, ErrForeign
	}
	var parts [][]byte
	for rest := data[len(version):end]; len(rest) > 0; {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n > uint64(len(rest)-size) {
			return nil, made, ErrForeign
		}
		rest = rest[size:]
		parts, rest = append(parts, rest[:n:n]), rest[n:]
	}
	if len(parts) < fieldParts || string(parts[keyPart]) != key {
		return nil, made, ErrForeign
	}
	var numbers [7]int64
	for i, text := range strings.SplitN(string(parts[numbersPart]), " ", len(numbers)) {
		if numbers[i], err = strconv.ParseInt(text, 10, 64); err != nil || numbers[i] < 0 {
			return nil, made, ErrForeign
		}
	}
	e = &Entry{
		Status: int(numbers[0]), Position: redisstore.Position(numbers[1]), Aged: time.Duration(numbers[6]),
		Life: Life{Fresh: time.Duration(numbers[3]), StaleWhileRevalidate: time.Duration(numbers[4]), StaleIfError: time.Duration(numbers[5])},
		ETag: string(parts[etagPart]), Tags: lines(parts[tagsPart]),
		Body: parts[bodyPart], Gzip: orNil(parts[gzipPart]), held: len(data),
	}
	if e.Status != hitForMiss && (e.Status < 200 || e.Status > 599) {
		return nil, made, ErrForeign // net/http would panic
	}
	for _, part := range parts[fieldParts:] {
		field := lines(part)
		if len(field) == 0 {
			return nil, made, ErrForeign
		}
		e.Fields = append(e.Fields, Field{Name: field[0], Values: field[1:]})
	}
	return e, time.UnixMilli(numbers[2]), nil
}

// lines returns the lines of a part, which share their memory.
func lines(part []byte) []string {
	if len(part) == 0 {
		return nil
	}
	return strings.Split(string(part), "\n")
}

func orNil(body []byte) []byte {
	if len(body) == 0 {
		return nil
	}
	return body
}
