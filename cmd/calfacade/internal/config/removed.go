package config

import "strings"

// removedKeys are the keys that earlier versions had, with what to do about them.
var removedKeys = map[string]string{
	"cache.share_languages": "it is always on now, so delete it; where languages are WordPress sites of their own, name these in languages[].site",
}

// removed ends the error about an unknown key of the file, which is named by its last
// part.
func removed(key string) string {
	return hint(func(path string) bool { return strings.HasSuffix(path, "."+key) })
}

// removedEnv ends the error about an unknown variable.
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
