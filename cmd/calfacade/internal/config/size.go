package config

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"
)

// Size is a number of bytes, written as 32MiB, 1MB or a plain number.
type Size int64

// UnmarshalText implements [encoding.TextUnmarshaler]. The error quotes the text.
func (s *Size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("%q is not a size such as 32MiB, 1MB or 1048576", text)
	}
	*s = Size(n)
	return nil
}

// MarshalText writes three digits, for people.
func (s Size) MarshalText() ([]byte, error) { return []byte(humanize.IBytes(uint64(s))), nil }
