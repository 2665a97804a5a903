package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v3"
)

// Size is a number of bytes, written as 32MiB, 1MB or a plain number.
type Size int64

// UnmarshalText reads what an operator wrote. The error quotes it.
func (s *Size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a size such as 32MiB, 1MB or 1048576", text)
	}
	if n > math.MaxInt64 {
		return fmt.Errorf("%q is too large a size", text)
	}
	*s = Size(n)
	return nil
}

// UnmarshalYAML exists only for the line number: an error of UnmarshalText has
// none, and ends the decoding before other errors are found.
func (s *Size) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return typeError(n, "a size is wanted here, such as 32MiB")
	}
	if err := s.UnmarshalText([]byte(n.Value)); err != nil {
		return typeError(n, err.Error())
	}
	return nil
}

func typeError(n *yaml.Node, problem string) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %s", n.Line, problem)}}
}

// shorten makes 8KiB of the "8.0 KiB" that humanize writes.
var shorten = strings.NewReplacer(" ", "", ".0", "")

// MarshalText writes the short form where it is exact, else the plain number:
// what was written must read back as the same size.
func (s Size) MarshalText() ([]byte, error) {
	if s >= 0 {
		short := shorten.Replace(humanize.IBytes(uint64(s)))
		if n, err := humanize.ParseBytes(short); err == nil && n == uint64(s) {
			return []byte(short), nil
		}
	}
	return strconv.AppendInt(nil, int64(s), 10), nil
}
