package siteurl

import (
	"html"
	"strings"

	"golang.org/x/net/idna"
)

// Written returns the URL to send for one that the legacy shows: in ASCII, and with plain
// ampersands, which it shows as entities (recording create-json).
func Written(shown string) string { return asciiURL(html.UnescapeString(shown)) }

// asciiURL returns an equivalent URL in ASCII: with the host in punycode, and the rest
// percent-encoded. The legacy shows URLs with other letters and blanks, and refuses them in
// a write (recordings odd-create-website--https-*).
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
