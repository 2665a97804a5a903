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
				return weighs(params)
			case coding == "*":
				others = weighs(params)
			}
		}
	}
	return others
}

// weighs reports whether parameters give a weight above nothing, as none do.
func weighs(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			value = strings.TrimSpace(value)
			return strings.Trim(value, "0123456789.") == "" && strings.Trim(value, "0.") != ""
		}
	}
	return true
}

// matches reports whether If-None-Match names the validator. The comparison is
// weak (RFC 9110, 13.1.2), and a client may hold either representation's.
func matches(header []string, tag string) bool {
	for _, line := range header {
		if strings.TrimSpace(line) == "*" {
			return true
		}
		for line != "" {
			var item string
			item, line = cutTag(line)
			if item != "" && (item == tag || isGzipTag(item, tag) || isGzipTag(tag, item)) {
				return true
			}
		}
	}
	return false
}

// cutTag cuts the first element of a list of entity tags, which may hold commas. The tag is
// without W/, and "" where the element is none.
func cutTag(list string) (tag, rest string) {
	tag = strings.TrimPrefix(strings.TrimLeft(list, " \t,"), "W/")
	if strings.HasPrefix(tag, `"`) {
		if end := strings.IndexByte(tag[1:], '"') + 2; end > 1 {
			tag, rest = tag[:end], strings.TrimLeft(tag[end:], " \t")
			if rest == "" || rest[0] == ',' {
				return tag, rest
			}
			list = rest
		}
	}
	_, rest, _ = strings.Cut(strings.TrimLeft(list, " \t,"), ",")
	return "", rest
}

// isGzipTag reports whether a is the validator of the compressed body of what b is that of.
func isGzipTag(a, b string) bool {
	plain, ok := strings.CutSuffix(a, gzipTagEnd)
	return ok && len(b) == len(plain)+1 && b[:len(plain)] == plain && b[len(plain)] == '"'
}

const gzipTagEnd = `-gzip"`

// gzipTag is the validator of the compressed body, which is another
// representation.
func gzipTag(tag string) string { return strings.TrimSuffix(tag, `"`) + gzipTagEnd }
