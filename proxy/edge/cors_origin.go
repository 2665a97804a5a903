package edge

import (
	"net/http"
	"slices"
	"strings"
)

// origins are those whose pages may use the facade, in lower case, with wildcards.
type origins []string

// allow reports whether a request comes from one of the origins. No page sends two Origin
// fields, and a proxy on the way may read the other one.
func (o origins) allow(r *http.Request, origin string) (allowed bool, vary []string) {
	origin = strings.ToLower(origin)
	return len(r.Header["Origin"]) == 1 && slices.ContainsFunc(o, func(pattern string) bool { return matchOrigin(pattern, origin) }), nil
}

// matchOrigin reports whether an origin matches a pattern, in which * stands for one or more
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
