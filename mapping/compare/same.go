package compare

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// seed makes the hashes unpredictable: no site can construct two documents that collide.
var seed = maphash.MakeSeed()

// hash is the same for two values that are the same by the rules, and another for
// any two that are not, with a probability of collisions of 64 bits. Each value of a document is
// looked at once.
func (c *Comparer) hash(t *tree, i int, p *location) uint64 {
	if t.hashes == nil {
		t.hashes = make([]uint64, len(t.values))
	}
	if t.hashes[i] == 0 {
		t.hashes[i] = c.rehash(t, i, p)
	}
	return t.hashes[i]
}

func (c *Comparer) rehash(t *tree, i int, p *location) uint64 {
	v := &t.values[i]
	var parts []uint64
	switch {
	case v.kind != '{' && v.kind != '[':
		return maphash.Bytes(seed, c.normal(t, i))
	case v.count == 0 && p.is(empty):
		return 1
	case v.kind == '{':
		parts = c.hashMembers(t, i, p)
		slices.Sort(parts)
	default:
		if inside := p.at([]byte(elements)); !inside.is(ignored) {
			for _, j := range t.elements(i) {
				parts = append(parts, c.hash(t, j, inside))
			}
		}
		if p.is(set) {
			slices.Sort(parts)
		}
	}
	b := []byte{byte(v.kind)}
	for _, part := range parts {
		b = binary.LittleEndian.AppendUint64(b, part)
	}
	return maphash.Bytes(seed, b)
}

func (c *Comparer) hashMembers(t *tree, object int, p *location) []uint64 {
	var parts []uint64
	for i := range t.members(object) {
		name := t.text(i)
		if q := p.at(name); !q.is(ignored) {
			b := binary.LittleEndian.AppendUint64([]byte(nil), c.hash(t, i+1, q))
			parts = append(parts, maphash.Bytes(seed, append(b, name...)))
		}
	}
	return parts
}

// normal is the one form of a scalar that all have that are the same by the rules.
// It begins with the type.
func (c *Comparer) normal(t *tree, i int) []byte {
	text := t.text(i)
	switch t.values[i].kind {
	case '0':
		return append([]byte{'0'}, number(string(text))...)
	case '"':
		if c.rules.Numbers && plainNumber.Match(text) {
			return append([]byte{'0'}, number(string(text))...)
		}
		return append([]byte{'"'}, c.normalText(string(text))...)
	}
	return text
}

// plainNumber matches a number in its shortest spelling.
var plainNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,14}|-?(0|[1-9][0-9]{0,14})\.[0-9]{0,14}[1-9])$`)

// number is one form for all spellings of a number: its digits and the position of the
// point. 1e999999999 is a number too, so nothing is computed.
func number(s string) string {
	s, negative := strings.CutPrefix(s, "-")
	exponent := 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n > 1<<30 || n < -1<<30 {
			return strconv.FormatBool(negative) + s
		}
		s, exponent = s[:i], n
	}
	whole, fraction, _ := strings.Cut(s, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "0"
	}
	exponent += len(digits) - len(trimmed) - len(fraction)
	if negative {
		trimmed = "-" + trimmed
	}
	return trimmed + "e" + strconv.Itoa(exponent)
}

// dateForm is a point in time without a zone or in UTC, which the legacy writes alike.
var dateForm = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.0+)?(?:Z|[+-]00:?00)?$`)

func (c *Comparer) normalText(s string) string {
	if c.rules.Dates {
		if m := dateForm.FindStringSubmatch(s); m != nil {
			return m[1] + " " + m[2]
		}
	}
	if len(c.rules.Hosts) > 0 {
		s = c.withoutHosts(s)
	}
	if c.rules.Slashes && isURL(s) {
		end := strings.IndexAny(s, "?#")
		if end < 0 {
			end = len(s)
		}
		s = strings.TrimSuffix(s[:end], "/") + s[end:]
	}
	return s
}

// site replaces the scheme and host of a URL of the site.
const site = "\x00site"

func isURL(s string) bool {
	return strings.HasPrefix(s, site) || strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// withoutHosts puts site for what begins with one of the hosts.
func (c *Comparer) withoutHosts(s string) string {
	if n := hostAt(s, c.names); n > 0 {
		return site + s[n:]
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "://")
		if i < 0 {
			break
		}
		scheme := schemeBefore(s[:i])
		behind := s[i+len("://"):]
		n := hostAt(behind, c.rules.Hosts)
		if scheme == 0 || n == 0 {
			n = 0
			b.WriteString(s[:i+len("://")])
		} else {
			b.WriteString(s[:i-scheme] + site)
		}
		s = behind[n:]
	}
	b.WriteString(s)
	return b.String()
}

// schemeBefore is the length of the scheme of the web that s ends in, 0 for none.
func schemeBefore(s string) int {
	for _, scheme := range []string{"https", "http"} {
		if n := len(s) - len(scheme); n >= 0 && strings.EqualFold(s[n:], scheme) {
			return len(scheme)
		}
	}
	return 0
}

// hostAt is the length of the host that s begins with, if it is one of these.
func hostAt(s string, hosts []string) int {
	n := 0
	for n < len(s) && isHostByte(s[n]) {
		n++
	}
	if slices.Contains(hosts, strings.ToLower(s[:n])) {
		return n
	}
	return 0
}

func isHostByte(b byte) bool {
	return b == '.' || b == '-' || b == ':' || b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' || bytes.IndexByte([]byte("[]"), b) >= 0 || b >= 0x80
}
