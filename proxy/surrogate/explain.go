package surrogate

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Explain returns the fields of a new response for caches in front, by name; nil if o adds nothing.
// h is the header that a method of o has set, and fresh the lifetime of the response; 0 if it is not
// stored.
func (o Options) Explain(h http.Header, fresh time.Duration) map[string]string {
	if !o.Active() {
		return nil
	}
	all := map[string]string{}
	for _, name := range append([]string{"Cache-Control"}, Fields...) {
		if values := h[name]; values != nil {
			all[name] = values[0]
		}
	}
	if left, ok := o.Expires(fresh, 0); ok && fresh > 0 {
		all[string(AccelExpires)] = strconv.FormatInt(left, 10)
	}
	return all
}

// Lines returns explained fields as lines, sorted.
func Lines(fields map[string]string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		lines = append(lines, name+": "+fields[name])
	}
	return lines
}
