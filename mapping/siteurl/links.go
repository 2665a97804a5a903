package siteurl

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Site is the URL of a site, for comparison with links: without the scheme, the scheme's port, and a trailing
// slash.
type Site struct{ Host, Path []byte }

// At returns the site of a URL.
func At(url string) Site {
	if _, address, ok := strings.Cut(url, "://"); ok {
		url = address // links have http where https is meant, and the reverse
	}
	host, path, _ := Locate([]byte("//" + url))
	return Site{Host: host, Path: bytes.TrimSuffix(path, []byte("/"))}
}

func (u Site) String() string { return string(u.Host) + string(u.Path) }

// In returns the site in a directory of u, which begins with a slash.
func (u Site) In(dir string) Site {
	return Site{Host: u.Host, Path: slices.Concat(u.Path, []byte(dir))}
}

// Cut reports whether the URL of host and path is the site's or below the site's, and returns
// the rest of the path.
func (u Site) Cut(host, path []byte) (tail []byte, ok bool) {
	if !bytes.EqualFold(host, u.Host) {
		return nil, false
	}
	return Cut(path, u.Path)
}

// Cut reports whether a URL is prefix or below prefix, and returns the rest.
func Cut(s, prefix []byte) (tail []byte, ok bool) {
	tail, ok = cutFold(s, prefix)
	return tail, ok && (len(tail) == 0 || tail[0] == '/' || tail[0] == '?' || tail[0] == '#')
}

// cutFold cuts prefix off without regard to case.
func cutFold(s, prefix []byte) (tail []byte, ok bool) {
	n := len(prefix)
	if len(s) < n || !bytes.EqualFold(s[:n], prefix) {
		return nil, false
	}
	return s[n:], true
}

var (
	schemes = [...][]byte{[]byte("https://"), []byte("http://"), []byte("//")}
	ports   = [...][]byte{[]byte(":443"), []byte(":80")}
)

// MayBegin reports whether a JSON string, encoded but without quotes, can begin with a URL: with a scheme, a slash,
// or an escape.
func MayBegin(s []byte) bool {
	return len(s) > 0 && (s[0]|0x20 == 'h' || s[0] == '/' || s[0] == '\\')
}

// Locate splits an HTTP URL, with or without a scheme, into the host, without the default
// port, and the rest. ok is false for anything else.
func Locate(s []byte) (host, path []byte, ok bool) {
	for _, scheme := range schemes {
		tail, matches := cutFold(s, scheme)
		if !matches {
			continue
		}
		end := firstOf(tail, "/?#")
		host = tail[:end]
		path = tail[end:]
		for _, port := range ports {
			host = bytes.TrimSuffix(host, port)
		}
		return host, path, true
	}
	return nil, nil, false
}

// firstOf returns the index of the first of some characters in s; without a match the length of s.
func firstOf(s []byte, chars string) int {
	i := bytes.IndexAny(s, chars)
	if i >= 0 {
		return i
	}
	return len(s)
}

// Ends reports whether s, which follows the host of a URL, is the end of that URL: s has no
// characters that terminate a URL within a text.
func Ends(s []byte) bool { return !bytes.ContainsAny(s, " \t\r\n<>\"") }

// The parts of a link that WordPress has the REST interface at.
var (
	restPrefix = []byte(Prefix)
	IndexName  = []byte(IndexFile)
	routePair  = []byte(routeParam)
)

// SplitREST finds the REST interface in the path and query of a link: /wp-json/…,
// /index.php/wp-json/…, or on a site with plain permalinks /index.php?rest_route=…, encoded
// or not (recordings plain/fr/events-list). dir is the directory of the interface, such as a language's,
// and route the rest.
func SplitREST(path []byte) (dir, route []byte, ok bool) {
	end := firstOf(path, "?#")
	for i := range path[:end] {
		if path[i] != '/' {
			continue
		}
		if route, ok := Cut(path[i:], restPrefix); ok {
			return withoutIndexFile(path[:i]), route, true
		}
	}
	if !bytes.Contains(path[end:], routePair) {
		return nil, nil, false
	}
	query := EditQuery(path[end:], func(pair []byte) []byte {
		value, isRoute := bytes.CutPrefix(pair, routePair)
		if !isRoute {
			return pair
		}
		route, ok = value, true
		return nil
	})
	// Nothing else of an encoded path is decoded: it may be invalid in a link or a JSON string.
	route = bytes.ReplaceAll(bytes.ReplaceAll(route, []byte("%2F"), []byte("/")), []byte("%2f"), []byte("/"))
	return withoutIndexFile(path[:end]), append(route, query...), ok
}

func withoutIndexFile(dir []byte) []byte {
	dir = bytes.TrimSuffix(dir, []byte("/"))
	n := len(dir) - len(IndexName)
	if n >= 0 && bytes.EqualFold(dir[n:], IndexName) {
		return dir[:n]
	}
	return dir
}

// ands are the separators of parameters in a link: as HTML entities, and plain.
var ands = [...][]byte{[]byte("&amp;"), []byte("&#038;"), []byte("&")}

// SamePage reports whether two URLs of one document, as they are written in JSON strings, are equal.
// WordPress escapes ampersands inconsistently.
func SamePage(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.IndexByte(a, '?') >= 0 && bytes.Equal(withPlainAnds(a), withPlainAnds(b))
}

func withPlainAnds(s []byte) []byte {
	s, _ = jsonscan.Unescape(s)
	for _, and := range ands[:2] {
		s = bytes.ReplaceAll(s, and, ands[2])
	}
	return s
}

// EditQuery returns a link with each parameter of its query, "name=value", replaced by the result of edit; nil
// removes the parameter. s is not changed.
func EditQuery(s []byte, edit func(pair []byte) []byte) []byte {
	path, query, ok := bytes.Cut(s, []byte("?"))
	if !ok {
		return s
	}
	out := path[:len(path):len(path)]
	separator := []byte("?")
	for hasMore := true; hasMore; {
		var pair, and []byte
		pair, _, hasMore = bytes.Cut(query, []byte("&"))
		if hasMore {
			query = query[len(pair):]
			i := slices.IndexFunc(ands[:], func(and []byte) bool { return bytes.HasPrefix(query, and) })
			and = ands[i]
			query = query[len(and):]
		}
		pair = edit(pair)
		if pair == nil {
			continue
		}
		out = append(append(out, separator...), pair...)
		separator = and
	}
	return out
}

// Written returns the URL to send for a URL that the legacy shows: in ASCII, with the host in punycode and the rest
// percent-encoded, and with plain ampersands, which the legacy shows as entities (recording create-json).
// The legacy shows URLs with other letters and blanks, and refuses them in a write (recordings
// odd-create-website--https-*).
func Written(text string) string {
	s := html.UnescapeString(text)
	isOther := func(r rune) bool { return r <= ' ' || r >= 0x7f }
	if !strings.ContainsFunc(s, isOther) {
		return s
	}
	var out strings.Builder
	for _, c := range []byte(ASCIIHost(s)) {
		if isOther(rune(c)) {
			fmt.Fprintf(&out, "%%%02X", c)
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

// ASCIIHost returns a URL with its host in punycode; a host that is no domain name stays.
func ASCIIHost(s string) string {
	scheme, authority, hasHost := strings.Cut(s, "://")
	if !hasHost {
		return s
	}
	end := firstOf([]byte(authority), ":/?#")
	host, err := idna.Lookup.ToASCII(authority[:end])
	if err != nil {
		return s // of an IPv6 address, too
	}
	return scheme + "://" + host + authority[end:]
}
