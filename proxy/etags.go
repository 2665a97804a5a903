package proxy

import (
	"iter"
	"strings"
)

// entityTags gives the entity tags of a condition's lines, and of each whether it is weak
// (RFC 9110, 8.8.3); "*" is one that has no quotes. What follows something that is none
// is not read.
func entityTags(lines []string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for _, line := range lines {
			if strings.TrimSpace(line) == "*" {
				if !yield("*", false) {
					return
				}
				continue
			}
			for rest := strings.TrimLeft(line, " \t,"); rest != ""; rest = strings.TrimLeft(rest, " \t,") {
				tag, weak := strings.CutPrefix(rest, "W/")
				if tag == "" || tag[0] != '"' {
					break
				}
				closing := strings.IndexByte(tag[1:], '"')
				if closing < 0 {
					break
				}
				if !yield(tag[:closing+2], weak) {
					return
				}
				rest = tag[closing+2:]
			}
		}
	}
}

// matches reports whether If-None-Match names the validator. The comparison is
// weak (RFC 9110, 13.1.2), and a client may hold either representation's.
func matches(header []string, tag string) bool {
	for item := range entityTags(header) {
		if item == tag || item == "*" || gzipTag(item) == tag || gzipTag(tag) == item {
			return true
		}
	}
	return false
}

// matchesStrongly reports whether If-Match names the validator of what is not compressed,
// or that of its compressed form: who has either has the current version. The comparison
// is strong (RFC 9110, 13.1.1): of a weak tag nobody knows what it leaves out.
func matchesStrongly(header []string, tag string) bool {
	for item, weak := range entityTags(header) {
		if item == "*" || !weak && (item == tag || item == gzipTag(tag)) {
			return true
		}
	}
	return false
}
