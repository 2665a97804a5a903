package config

import (
	"fmt"
	"regexp"
	"time"

	"github.com/calfacade/calfacade/proxy/staging/tester"
)

// Testers lets testers use the candidate before clients do, whatever the state of the calls. Each
// has a token, which "calfacade stage --tester" creates.
type Testers struct {
	// Key signs the tokens of testers, at least 32 characters. All instances need the same
	// one. A new key revokes all tokens. Default none: there are no testers.
	Key Secret `yaml:"key"`

	// KeyFile is a file that holds [Testers.Key]. Default none.
	KeyFile string `yaml:"key_file"`

	// Cookie also accepts a token in the cookie calfacade-tester, and serves the page that
	// sets it, for browsers. Responses then vary by Cookie: shared caches in front store a
	// response for each value of it. Default true.
	Cookie bool `yaml:"cookie"`

	// MaxAge is the maximum lifetime of a token. Default 24h; 0 is an error.
	MaxAge time.Duration `yaml:"max_age"`

	// Revoked are names of testers whose tokens are refused. Default none.
	Revoked []string `yaml:"revoked"`
}

var keyPattern = regexp.MustCompile(fmt.Sprintf(`^[!-~]{%d,}$`, tester.MinKeyLen))

func (f *faults) testers(t Testers) {
	f.check(t.Key.Reveal() == "" || keyPattern.MatchString(t.Key.Reveal()), "staging.testers.key",
		"must have at least %d ASCII characters, without spaces", tester.MinKeyLen)
	positive(f, "staging.testers.max_age", t.MaxAge)
	for i, name := range t.Revoked {
		err := tester.CheckName(name)
		f.check(err == nil, fmt.Sprintf("staging.testers.revoked[%d]", i), "%v", err)
	}
}
