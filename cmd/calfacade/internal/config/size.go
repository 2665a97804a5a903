package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

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

// shorten turns "8.0 KiB", as humanize writes it, into 8KiB.
var shorten = strings.NewReplacer(" ", "", ".0", "")

// MarshalText writes the short form if it is exact, else the number of bytes, so that
// UnmarshalText returns the same size.
func (s Size) MarshalText() ([]byte, error) {
	if s >= 0 {
		short := shorten.Replace(humanize.IBytes(uint64(s)))
		if n, err := humanize.ParseBytes(short); err == nil && n == uint64(s) {
			return []byte(short), nil
		}
	}
	return strconv.AppendInt(nil, int64(s), 10), nil
}
