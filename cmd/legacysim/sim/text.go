package sim

import (
	"regexp"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// stripSlashes removes backslashes from a text, as WordPress does from everything written: one is removed,
// two become one.
func stripSlashes(s string) string { return backslash.ReplaceAllString(s, "$1") }

var backslash = regexp.MustCompile(`(?s)\\(.?)`)

var anyTag = regexp.MustCompile(`<[^>]*>`)

var anyEntity = regexp.MustCompile(`&(#\d+;|#[xX][0-9a-fA-F]+;|\w+;)?`)

// escapeAmpersands replaces those that begin no entity.
func escapeAmpersands(s, replacement string) string {
	return anyEntity.ReplaceAllStringFunc(s, func(m string) string {
		if m == "&" {
			return replacement
		}
		return m
	})
}

// storedName is a name as WordPress stores names. Backslashes stay, unlike in posts.
func storedName(s string) string {
	return strings.TrimSpace(escapeAmpersands(anyTag.ReplaceAllString(s, ""), "&amp;"))
}
