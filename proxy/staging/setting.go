package staging

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
)

// Op is a kind of call.
type Op string

// The kinds.
const (
	Read  Op = "read"
	Write Op = "write"
)

// Ops are the kinds, in order.
var Ops = []Op{Read, Write}

// State selects the backend.
type State string

// The states. Writes are only Legacy, Canary or New: a write is sent once, to one backend.
const (
	Legacy          State = "legacy"
	Shadow          State = "shadow"            // the legacy; the candidate is compared with the legacy
	Canary          State = "canary"            // the candidate for a share of the clients, or of their requests
	New             State = "new"               // the candidate
	NewWithFallback State = "new_with_fallback" // the candidate, and the legacy if that fails
)

// legacy is the setting of a cell about which nothing was decided.
var legacy = Setting{State: Legacy}

// States are all states, from the legacy to the candidate.
var States = []State{Legacy, Shadow, Canary, New, NewWithFallback}

// By is the unit of a canary's share.
type By string

const (
	// Clients, the same ones each time.
	Clients By = ""

	// Requests without credentials. The legacy serves requests with credentials and all writes,
	// so that no client writes to one backend and reads from the other.
	Requests By = "requests"
)

func (b By) String() string { return string(cmp.Or(b, "clients")) }

// UnmarshalText implements [encoding.TextUnmarshaler]. Any text is accepted: [Setting.Check]
// validates.
func (b *By) UnmarshalText(text []byte) error {
	*b = By(text)
	if *b == "clients" {
		*b = Clients
	}
	return nil
}

// Setting is a state with its share.
type Setting struct {
	// State is legacy: the legacy site serves; shadow: the legacy site serves, and
	// its responses are compared with the candidate's; canary: the candidate serves
	// [Setting.Percent] of the clients or requests; new: the candidate serves all;
	// new_with_fallback: the candidate serves, and the legacy site serves the reads that it
	// fails.
	State State `json:"state" yaml:"state"`

	// Percent is the share of the candidate in state canary, 1 to 99. Default 0, which all
	// other states require.
	Percent int `json:"percent,omitempty" yaml:"percent"`

	// By selects what [Setting.Percent] is a share of: clients, always the same ones; or
	// requests, in which case only reads without credentials go to the candidate. Default
	// clients.
	By By `json:"by,omitempty" yaml:"by"`
}

func (s Setting) String() string {
	switch {
	case s.State != Canary:
		return string(s.State)
	case s.By == Clients:
		return fmt.Sprintf("%s %d%%", s.State, s.Percent)
	}
	return fmt.Sprintf("%s %d%% of %s", s.State, s.Percent, s.By)
}

var settingPattern = regexp.MustCompile(`^\s*(\S+)(?:\s+(\d+)%?(?:\s+of\s+(\S+))?)?\s*$`)

// ParseSetting reads the text of [Setting.String]; the % may be left out.
func ParseSetting(text string) (s Setting, err error) {
	parts := settingPattern.FindStringSubmatch(text)
	if parts == nil {
		return s, errors.New(`want a state, such as "canary 10%" or "canary 10% of requests"`)
	}
	s.State = State(parts[1])
	s.Percent, _ = strconv.Atoi(parts[2])    // 0 without a number; Check refuses a number that is too large
	_ = s.By.UnmarshalText([]byte(parts[3])) // never fails
	return s, s.Check()
}

// Check returns an error if a setting is invalid.
func (s Setting) Check() error {
	switch {
	case !slices.Contains(States, s.State):
		return fmt.Errorf("%q is not one of %v", s.State, States)
	case s.State == Canary && (s.Percent < 1 || s.Percent > 99):
		return fmt.Errorf("a canary takes 1 to 99 percent of the %s, not %d", s.By, s.Percent)
	case s.State == Canary && s.By != Clients && s.By != Requests:
		return errors.New("a canary is by clients or by requests")
	case s.State != Canary && (s.Percent != 0 || s.By != Clients):
		return fmt.Errorf("%s takes no share of clients or requests", s.State)
	}
	return nil
}

// Share returns the percentage that the candidate serves.
func (s Setting) Share() int {
	switch s.State {
	case Canary:
		return s.Percent
	case New, NewWithFallback:
		return 100
	}
	return 0
}

// Of returns the setting for calls of a kind.
func (s Setting) Of(op Op) Setting {
	switch {
	case op == Read:
	case s.By == Requests, s.State == Shadow:
		return legacy
	case s.State == NewWithFallback:
		return Setting{State: New}
	}
	return s
}

// Client is the client of a call, as far as a canary depends on it.
type Client struct {
	Number      uint64 // the same each time and on every instance; see [NumberOf]
	Credentials bool   // the call has credentials
}

// NumberOf returns the number of a client that a text identifies. A canary serves the clients with
// numbers, modulo 100, below its percentage, so that they stay in the canary when its share grows.
func NumberOf(client string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(client)) // never fails
	return h.Sum64()
}

// serves reports whether the candidate serves a call of a client.
func (s Setting) serves(client Client) bool {
	if s.By == Requests {
		return s.random(client) && rand.IntN(100) < s.Percent // #nosec G404 -- distributes load, and protects nothing
	}
	return int(client.Number%100) < s.Share()
}

// random reports whether chance selects the backend for a call of a client.
func (s Setting) random(client Client) bool { return s.By == Requests && !client.Credentials }
