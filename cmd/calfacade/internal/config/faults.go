package config

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

type faults []error

// check adds a problem with key unless ok.
func (f *faults) check(ok bool, key, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, args...)))
	}
}

func (f *faults) oneOf(key, value string, allowed ...string) {
	f.check(slices.Contains(allowed, value), key, "%q is not one of %s", value, strings.Join(allowed, ", "))
}

func positive[T ~int | ~int64](f *faults, key string, value T) {
	f.check(value > 0, key, "must be more than 0, but is %v", value)
}

// address requires a numeric port: names of services depend on the machine.
func (f *faults) address(key, addr string) {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	f.check(err == nil, key, "%q is not an address such as 127.0.0.1:8080", addr)
}

func (f *faults) notNegative(key string, d time.Duration) {
	f.check(d >= 0, key, "must not be negative, but is %s", d)
}

func (f *faults) between(key string, value, minimum, maximum int) {
	f.check(minimum <= value && value <= maximum, key, "must be %d to %d, but is %d", minimum, maximum, value)
}

// typeError returns a problem with a node of the file, with its line.
func typeError(n *yaml.Node, problem string) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %s", n.Line, problem)}}
}
