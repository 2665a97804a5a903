package siteurl

import (
	"html"
	"strings"

	"golang.org/x/net/idna"
)

// Written returns the URL to write for one that the legacy shows: with the ampersands
// that it shows as entities (recording create-json), and in ASCII.
func Written(shown string) string { return asciiURL(html.UnescapeString(shown)) }

// asciiURL returns a URL in ASCII that means what s means: a host as punycode, all
// else percent-encoded. The legacy shows URLs with other letters and with blanks, and
// refuses them in a write (recordings odd-create-website--https-*).
func asciiURL(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return s
	}
	scheme, rest, hasHost := strings.Cut(s, "://")
	if !hasHost {
		return encodeOthers(s)
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return encodeOthers(scheme + "://" + host + path)
}

// encodeOthers percent-encodes the bytes that are not printable ASCII.
func encodeOthers(s string) string {
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f {
			out.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}
