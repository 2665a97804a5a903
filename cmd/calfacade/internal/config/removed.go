package config

import "strings"

// removedKeys are keys of earlier versions, each with a hint.
var removedKeys = map[string]string{
	"audit":                 "no instance audits itself, so delete it: calfacade audit --every compares what an instance, or a cache in front of it, serves",
	"cache.purge_wait":      "no write waits for other instances now, so delete it: each request looks at the purge log before it is served",
	"cache.doubt":           "a write of unknown outcome counts as in progress for a minute, so delete it",
	"cache.state_dir":       "purges are tried for a second before a write is answered, so delete it; what Redis has not taken when the process ends is logged, and the exit status is 1",
	"cache.share_languages": "share_languages is always on now, so delete it; where languages are WordPress sites of their own, name these in languages[].site",
	"staging.compare.loose": "the forms of values are part of the contract, so delete it; name the paths of others in staging.compare.ignore",
	"staging.testers":       "testers share one secret now, staging.tester_token, in the field X-Calfacade-Tester or the cookie calfacade-tester; see docs/migration.md",
	"staging.write_lease":   "each write looks at the decisions in Redis before it is sent, and is refused while Redis does not answer, so delete it",

	"edge.stale_while_revalidate": "caches in front may serve a response stale for as long as cache.stale_while_revalidate, so delete it",
	"edge.stale_if_error":         "caches in front may serve a response stale for as long as cache.stale_if_error, so delete it",
}

// removed returns the hint for an unknown key of the file, of which only the last part
// is known.
func removed(key string) string {
	return hint(func(path string) bool { return strings.HasSuffix("."+path, "."+key) })
}

// removedEnv returns the hint for an unknown variable.
func removedEnv(name string) string {
	return hint(func(path string) bool {
		return name == variable(path) || strings.HasPrefix(name, variable(path)+"_")
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
