package proxy

import "strings"

// acceptsGzip reports whether a client accepts gzip: by name, or else by *, with a weight
// above zero (RFC 9110, 12.5.3).
func acceptsGzip(accept []string) bool {
	others := false
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(item, ";")
			switch coding = strings.TrimSpace(coding); {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				return nonzeroWeight(params)
			case coding == "*":
				others = nonzeroWeight(params)
			}
		}
	}
	return others
}

// nonzeroWeight reports whether the weight in parameters is above zero. The default is.
func nonzeroWeight(params string) bool {
	if params == "" {
		return true
	}
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			value = strings.TrimSpace(value)
			return strings.Trim(value, "0123456789.") == "" && strings.Trim(value, "0.") != ""
		}
	}
	return true
}
