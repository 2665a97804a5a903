package proxy

import (
	"net/http"
	"slices"
	"strings"
)

// origins are those whose pages may use the facade, in lower case.
type origins []string

// allow decides about a request. One with two Origin fields is of no page: whatever stands
// between may read the other one.
func (o origins) allow(r *http.Request, origin string) (allowed bool, vary []string) {
	origin = strings.ToLower(origin)
	return len(r.Header["Origin"]) == 1 && slices.ContainsFunc(o, func(pattern string) bool { return matchOrigin(pattern, origin) }), nil
}

// matchOrigin reports whether an origin is the pattern, in which * stands for one or more
// whole labels of the host.
func matchOrigin(pattern, origin string) bool {
	scheme, domain, open := strings.Cut(pattern, "*")
	if !open {
		return pattern == origin
	}
	labels, ours := strings.CutPrefix(origin, scheme)
	labels, below := strings.CutSuffix(labels, domain)
	if !ours || !below {
		return false
	}
	for label := range strings.SplitSeq(labels, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}
