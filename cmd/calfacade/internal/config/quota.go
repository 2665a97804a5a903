package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Quota is a number of requests in a window, written as 600/1m or 600/m. The zero value, written
// as an empty text, disables the limit.
type Quota struct {
	Requests int
	Window   time.Duration
}

// UnmarshalText implements [encoding.TextUnmarshaler]. The error quotes the text.
func (q *Quota) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*q = Quota{}
		return nil
	}
	number, window, _ := strings.Cut(string(text), "/")
	if window != "" && window[0] >= 'a' {
		window = "1" + window // 600/m
	}
	n, err := strconv.Atoi(number)
	d, badWindow := time.ParseDuration(window)
	if err != nil || badWindow != nil || n < 1 || n > 1_000_000 || d < time.Second || d > 24*time.Hour {
		return fmt.Errorf("%q is not a quota such as 600/1m: 1 to 1000000 requests in 1s to 24h", text)
	}
	*q = Quota{n, d}
	return nil
}

// UnmarshalYAML adds the line number to errors, like that of Size.
func (q *Quota) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || q.UnmarshalText([]byte(n.Value)) != nil {
		return typeError(n, "expected a quota such as 600/1m: 1 to 1000000 requests in 1s to 24h")
	}
	return nil
}

// MarshalText implements [encoding.TextMarshaler].
func (q Quota) MarshalText() ([]byte, error) {
	if q.Requests == 0 {
		return nil, nil
	}
	return fmt.Appendf(nil, "%d/%s", q.Requests, q.Window), nil
}
