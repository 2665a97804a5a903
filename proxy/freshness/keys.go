package freshness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Keys makes the keys of a cache in front from tags: the keys of a response, and of a purge.
// If a purge has a tag of a response, the two have a key in common. Whatever sends keys to one
// cache must have the same Keys.
//
// A key consists of letters, digits and ".:_-". So header fields, lists and paths have keys without quotes, for any
// cache in front.
type Keys struct {
	Prefix string // begins every key, before a dot: letters, digits, _ and -; "" omits the dot too
}

// maxKeys of a response take less than 3 KB with the usual tags, which the default buffers of nginx and
// Varnish have room for. Tags beyond them are in buckets.
const maxKeys, buckets = 128, 64

// Of returns the keys of a response with these tags: the key of All, and one for each tag. If they are
// more than maxKeys, the tags have the keys of their buckets.
func (k Keys) Of(tags []string) (keys []string) {
	keys = distinct([]string{k.All()}, tags, k.key)
	if len(keys) > maxKeys {
		keys = distinct([]string{k.All()}, tags, k.bucket)
	}
	return keys
}

// PurgedKeys returns the keys that a purge of these tags invalidates: the key and the bucket's key of each tag, sorted.
func (k Keys) PurgedKeys(tags []string) []string { return distinct(nil, tags, k.key, k.bucket) }

// distinct returns keys and the keys of tags, sorted.
func distinct(keys, tags []string, keysOf ...func(tag string) string) []string {
	for _, tag := range tags {
		for _, keyOf := range keysOf {
			keys = append(keys, keyOf(tag))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// All returns the key that every response has.
func (k Keys) All() string { return k.named("all") }

// bucket returns the key of the bucket of a tag. Their number is constant: a purge does not know which
// responses have how many tags.
func (k Keys) bucket(tag string) string {
	return k.named(fmt.Sprintf("b%d-%d", buckets, xxhash.Sum64String(tag)%buckets))
}

// key returns the key of a tag. Tags are plain; a hash replaces any other tag.
func (k Keys) key(tag string) string {
	if !plain.MatchString(tag) {
		tag = fmt.Sprintf("x%016x", xxhash.Sum64String(tag))
	}
	return k.named(tag)
}

func (k Keys) named(name string) string { return strings.TrimPrefix(k.Prefix+"."+name, ".") }

// plain matches tags that can be part of a key as they are.
var plain = regexp.MustCompile(`^[A-Za-z0-9:_-]{1,64}$`)
