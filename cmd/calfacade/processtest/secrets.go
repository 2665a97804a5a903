package processtest

import (
	"strings"
	"testing"
)

// Secrets that nobody but the legacy may learn. The second is the first as Basic
// credentials of "u", as a dump of a header would show it.
var planted = []string{"opensesame", "dTpvcGVuc2VzYW1l", "c00kie", "n0nce"}

// FindSecrets fails if a text of a place holds a secret of the site.
func FindSecrets(t *testing.T, place, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		for _, secret := range planted {
			if strings.Contains(line, secret) {
				t.Errorf("%s holds the secret %s: %s", place, secret, line)
			}
		}
	}
}
