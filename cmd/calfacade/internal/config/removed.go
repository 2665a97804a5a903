package config

import "strings"

// removedKeys are keys of earlier versions, each with a hint.
var removedKeys = map[string]string{
	"cache.share_languages": "share_languages is always on now, so delete it; where languages are WordPress sites of their own, name these in languages[].site",
}

// removed returns the hint for an unknown key of the file, of which only the last part
// is known.
func removed(key string) string {
	return hint(func(path string) bool { return strings.HasSuffix(path, "."+key) })
}

// removedEnv returns the hint for an unknown variable.
func removedEnv(name string) string {
	return hint(func(path string) bool {
		return name == variable(path)
	})
}

func hint(is func(path string) bool) string {
	for path, hint := range removedKeys {
		if is(path) {
			return ": " + hint
		}
	}
	return ""
}
