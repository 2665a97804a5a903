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
	return encodeOthers(ASCIIHost(s))
}

// ASCIIHost returns a URL with its host in punycode; a host that is no domain name stays.
func ASCIIHost(s string) string {
	scheme, rest, hasHost := strings.Cut(s, "://")
	if !hasHost {
		return s
	}
	end := firstOf([]byte(rest), ":/?#")
	host, err := idna.Lookup.ToASCII(rest[:end])
	if err != nil {
		return s // of an IPv6 address, too
	}
	return scheme + "://" + host + rest[end:]
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
