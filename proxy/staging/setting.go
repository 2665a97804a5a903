package staging

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Candidate identifies a backend that may replace the legacy. The methods of [Matrix] take
// one because two configurations are in use during a reload: the candidate of one must not
// get calls by the plan of the other.
type Candidate struct {
	Name  string // "" if there is none
	Place string // URLs of the backend: compared, and never shown
}

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
	Shadow          State = "shadow"            // the legacy, and the candidate is compared with it
	Canary          State = "canary"            // the candidate for a share of the clients, or of their requests
	New             State = "new"               // the candidate
	NewWithFallback State = "new_with_fallback" // the candidate, and the legacy if that fails
)

// States are all states, from the legacy to the candidate.
var States = []State{Legacy, Shadow, Canary, New, NewWithFallback}

// By is what a canary takes a share of.
type By string

const (
	// Clients, the same ones each time.
	Clients By = ""

	// Requests without credentials. The legacy serves requests with credentials and all writes,
	// so that no client writes to one backend and reads from the other.
	Requests By = "requests"
)

func (b By) String() string { return string(cmp.Or(b, "clients")) }

// UnmarshalText implements [encoding.TextUnmarshaler]. It accepts any text: [Setting.Check]
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
	State   State `json:"state"`
	Percent int   `json:"percent,omitempty"` // 1 to 99; for Canary only
	By      By    `json:"by,omitempty"`      // for Canary only
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

// ParseSetting reads what [Setting.String] returns; the % may be left out.
func ParseSetting(text string) (Setting, error) {
	words := strings.Fields(text)
	var s Setting
	switch len(words) {
	case 4:
		if words[2] != "of" {
			break
		}
		_ = s.By.UnmarshalText([]byte(words[3])) // never fails
		fallthrough
	case 2:
		percent, err := strconv.Atoi(strings.TrimSuffix(words[1], "%"))
		if err != nil {
			return Setting{}, fmt.Errorf("%q is no percentage", words[1])
		}
		s.Percent = percent
		fallthrough
	case 1:
		s.State = State(words[0])
		return s, s.Check()
	}
	return Setting{}, errors.New(`want a state, such as "canary 10%" or "canary 10% of requests"`)
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
	case s.State != Canary && s.Percent != 0:
		return fmt.Errorf("%s takes no percent", s.State)
	case s.State != Canary && s.By != Clients:
		return fmt.Errorf("%s is by neither clients nor requests", s.State)
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

// ofWriters returns the percentage that the candidate serves of the clients that may write.
func (s Setting) ofWriters() int {
	if s.By == Requests {
		return 0
	}
	return s.Share()
}

// Of returns the setting for calls of a kind.
func (s Setting) Of(op Op) Setting {
	switch {
	case op == Write && s.By == Requests:
		return Setting{State: Legacy}
	case op == Write && s.State == Shadow:
		return Setting{State: Legacy}
	case op == Write && s.State == NewWithFallback:
		return Setting{State: New}
	}
	return s
}
