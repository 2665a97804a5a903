package freshness

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/cache"
)

// directives are those of a Cache-Control field (RFC 9111, 5.2), by name in lower case. The
// first of several with a name counts.
type directives map[string]string

func directivesOf(h http.Header) directives {
	d := directives{}
	rest := strings.Join(h["Cache-Control"], ",")
	for rest != "" {
		var item string
		item, rest = cutItem(rest)
		name, value, _ := strings.Cut(item, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, ok := d[name]; !ok {
			d[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return d
}

// cutItem cuts off the first element of a list, at a comma outside of quoted strings.
func cutItem(list string) (item, rest string) {
	quoted := false
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			return list[:i], list[i+1:]
		}
	}
	return list, ""
}

// any reports whether one of the directives is present.
func (d directives) any(names ...string) bool {
	for _, name := range names {
		if _, ok := d[name]; ok {
			return true
		}
	}
	return false
}

// duration reads a directive in seconds. A value that is no number is 0, which makes a
// response stale (RFC 9111, 4.2.1).
func (d directives) duration(name string) (value time.Duration, ok bool) {
	text, ok := d[name]
	return deltaSeconds(text), ok
}

// deltaSeconds reads a number of seconds: at most 68 years, and 0 for what is no number (RFC
// 9111, 1.2.2).
func deltaSeconds(s string) time.Duration {
	n, _ := strconv.ParseUint(s, 10, 31) // the maximum if it is out of range
	return time.Duration(n) * time.Second
}

// staleDirectives are those of RFC 5861, for caches between calfacade and the client.
func staleDirectives(life cache.Life) (s string) {
	if life.StaleWhileRevalidate > 0 {
		s += fmt.Sprintf(", stale-while-revalidate=%d", seconds(life.StaleWhileRevalidate))
	}
	if life.StaleIfError > 0 {
		s += fmt.Sprintf(", stale-if-error=%d", seconds(life.StaleIfError))
	}
	return s
}

func seconds(d time.Duration) int { return int(d / time.Second) }
