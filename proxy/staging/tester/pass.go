package tester

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Pass is what a token permits its tester.
type Pass struct {
	Name      string    `json:"name"` // of the tester; see [Pass.Check]
	Expires   time.Time `json:"expires"`
	Writes    bool      `json:"writes,omitempty"`    // also send writes to the candidate
	Resources []string  `json:"resources,omitempty"` // nil: all
	Languages []string  `json:"languages,omitempty"` // codes; nil: all
}

// Covers reports whether requests for a resource in a language go to the candidate.
func (p Pass) Covers(resource, language string) bool {
	return (p.Resources == nil || slices.Contains(p.Resources, resource)) &&
		(p.Languages == nil || slices.Contains(p.Languages, language))
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9._@-]{1,64}$`)

// CheckName returns an error if a tester cannot have that name.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return errors.New("a name has 1 to 64 letters, digits and . _ @ -")
	}
	return nil
}

// Check returns an error if a pass is invalid, or expires later than longest from now.
func (p Pass) Check(now time.Time, longest time.Duration) error {
	life := p.Expires.Sub(now)
	switch err := CheckName(p.Name); {
	case err != nil:
		return err
	case life <= 0:
		return errors.New("it would have expired")
	case life > longest:
		return fmt.Errorf("it may be valid for %s at most", longest)
	}
	return nil
}
