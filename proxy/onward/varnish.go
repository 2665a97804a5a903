package onward

import (
	"net/http"
	"strings"
)

// maxKeyBytes bounds the keys of one request to Varnish, which accepts header fields of 8 KiB.
const maxKeyBytes = 4000

// varnishCalls purges by vmod xkey, with the method PURGE and the keys in a header field; or it
// bans, with the method BAN and a regular expression of them, which Varnish matches with the
// header field xkey of responses.
func (t Target) varnishCalls(b batch, keys []string) []call {
	var all []call
	for _, some := range chunks(keys, maxTags, maxKeyBytes) {
		c := call{method: "PURGE", url: t.URL + "/", header: t.bearer()}
		switch {
		case t.Ban:
			c.method = "BAN"
			c.header.Set("Xkey-Ban", keysPattern(some))
		case b.Soft:
			c.header.Set("Xkey-Soft", strings.Join(some, " "))
		default:
			c.header.Set("Xkey", strings.Join(some, " "))
		}
		all = append(all, c)
	}
	return all
}

// keysPattern returns a regular expression that matches a list of keys with one of these. It has
// no spaces, quotes and backslashes, which mean something in a ban. Keys have letters, digits and
// ".:_-".
func keysPattern(keys []string) string {
	const other = "[^A-Za-z0-9.:_-]"
	return "(^|" + other + ")(" + strings.ReplaceAll(strings.Join(keys, "|"), ".", "[.]") + ")(" + other + "|$)"
}

// bearer returns header fields with the token, if there is one.
func (t Target) bearer() http.Header {
	h := http.Header{}
	if t.Token != "" {
		h.Set("Authorization", "Bearer "+t.Token)
	}
	return h
}

// chunks splits keys into groups of at most so many keys, and bytes with one between two keys.
func chunks(keys []string, most, bytes int) (groups [][]string) {
	size := 0
	for _, k := range keys {
		last := len(groups) - 1
		if last < 0 || len(groups[last]) == most || size+len(k)+1 > bytes {
			groups, last, size = append(groups, nil), last+1, 0
		}
		groups[last] = append(groups[last], k)
		size += len(k) + 1
	}
	return groups
}
