package compare

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/calfacade/calfacade/mapping"
)

// MaxShown is the maximum length of a shown value, in bytes.
const MaxShown = 200

// hidden stands for a value that is not shown.
const hidden = "(hidden)"

// secretName matches the names of parameters and members that hold a secret. The names include the secrets of
// the table; most are in links that lead elsewhere.
var secretName = regexp.MustCompile(`(?i)^` + secretWord + `$`)

// #nosec G101 -- names of secrets, and none
const secretWord = `(?:[\w-]*(?:passw|passphrase|pwd|token|nonce|secret|credential|` +
	`api[_-]?key|private[_-]?key|access[_-]?key)[\w-]*|pass|key|auth|authorization|cookie|sig|signature|session|sid|code_verifier)`

var (
	// secretParam matches a parameter in a URL, also in HTML, after a semicolon.
	secretParam = regexp.MustCompile(`(?i)((?:^|[?&;#\s])` + secretWord + `(?:\[[^\]=]*\]|%5B[^=&]*)?=)[^&#\s"'<>]*`)
	// userInfo matches the credentials before the host of a URL.
	userInfo = regexp.MustCompile(`://[^/?#@\s"'<>]*@`)
)

// maxSearched is the number of bytes of a value that are searched for secrets, so that enough remains to be
// shown after replacements.
const maxSearched = 8 * MaxShown

// printable is a text for people: short, and without secrets.
func printable(s string) string {
	return mapping.Shorten(WithoutSecrets(mapping.Shorten(s, maxSearched)), MaxShown)
}

// context is the length of the text that two values have in common that is shown in front of
// their first difference, in bytes.
const context = MaxShown / 4

// around shows two texts that differ. Long texts begin shortly before the first difference. Secrets are hidden
// before anything is cut: the name of a secret may be in the part that is cut.
func around(reference, candidate string) (string, string) {
	reference = WithoutSecrets(reference)
	candidate = WithoutSecrets(candidate)
	if len(reference) <= MaxShown && len(candidate) <= MaxShown {
		return reference, candidate
	}
	common := 0
	for common < min(len(reference), len(candidate)) && reference[common] == candidate[common] {
		common++
	}
	start := common - context
	for start > 0 && !utf8.RuneStart(reference[start]) {
		start--
	}
	if start <= 0 || reference == candidate {
		return mapping.Shorten(reference, MaxShown), mapping.Shorten(candidate, MaxShown)
	}
	i := strings.IndexAny(reference[start:common], " ,")
	if i >= 0 { // not in the middle of a word
		start += i + 1
	}
	return mapping.Shorten(mapping.Ellipsis+reference[start:], MaxShown), mapping.Shorten(mapping.Ellipsis+candidate[start:], MaxShown)
}

// WithoutSecrets returns a text, such as a URL, without the secrets inside.
func WithoutSecrets(s string) string {
	if strings.Contains(s, "=") {
		s = secretParam.ReplaceAllString(s, "${1}"+hidden)
	}
	if strings.Contains(s, "@") {
		s = userInfo.ReplaceAllString(s, "://"+hidden+"@")
	}
	return s
}
