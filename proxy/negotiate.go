package proxy

import "strings"

// acceptsGzip reports whether a client takes gzip: by its name, or else by *, and not with
// a weight of nothing (RFC 9110, 12.5.3).
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

// nonzeroWeight reports whether parameters give a weight above nothing, as none do.
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
