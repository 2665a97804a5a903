package config

import (
	"regexp"
	"strings"
)

// removedKeys are keys of earlier versions, each with a hint.
var removedKeys = map[string]string{
	"audit":                 "no instance audits itself, so delete it, and run calfacade audit --every: it sees what caches in front serve too",
	"cache.purge_wait":      "no write waits for other instances now, so delete it: each request looks at the purge log before it is served",
	"cache.doubt":           "a write of unknown outcome counts as in progress for a minute, so delete it",
	"cache.state_dir":       "purges are tried for a second before a write is answered, so delete it; what Redis has not taken when the process ends is logged, and the exit status is 1",
	"cache.share_languages": "share_languages is always on now, so delete it; where languages are WordPress sites of their own, name these in languages[].site",
	"staging.compare.loose": "the forms of values are part of the contract, so delete it; name the paths of others in staging.compare.ignore",
	"staging.testers":       "testers share one secret now, staging.tester_token, in the field X-Calfacade-Tester or the cookie calfacade-tester; see docs/migration.md",
	"staging.write_lease":   "each write looks at the decisions in Redis before it is sent, and is refused while Redis does not answer, so delete it",

	"admin.pprof":                 "profiles are served to whoever has admin.token, so delete it",
	"cache.enabled":               "a collection whose cache.ttl is 0s is not stored, so delete it",
	"cache.max_entry":             "responses above 4MiB are stored in Redis alone, so delete it",
	"cors.max_age":                "browsers keep the response to a preflight request for ten minutes, so delete it",
	"edge.max_tags":               "a response has at most 128 keys, so delete it",
	"edge.purge.timeout":          "a call to a cache in front may take 5s, so delete it",
	"edge.stale_if_error":         "caches in front get cache.stale_if_error, so delete it",
	"edge.stale_while_revalidate": "caches in front get cache.stale_while_revalidate, so delete it",
	"limits.header_timeout":       "a header may take 10s, so delete it",
	"limits.max_bodies":           "all request bodies in flight may have 64MiB, so delete it",
	"limits.max_header":           "a header may have 64KiB, so delete it",
	"limits.max_uncached":         "1024 requests in flight may miss the cache, so delete it",
	"limits.max_url":              "path and query may have 8KiB, so delete it",
	"limits.read_timeout":         "a request may take 30s, so delete it",
	"limits.write_timeout":        "a response may take twice upstream.timeout plus 32s, so delete it",
	"rate_limit.clients":          "each limit remembers 100,000 clients, so delete it",
	"rate_limit.shared":           "instances with cache.redis count together, so delete it",
	"staging.compare.hosts":       "the hosts of both sites are known from their URLs, so delete it",
	"staging.compare.known":       "the differences of tec/v1 are known where the candidate has that dialect, so delete it",
	"staging.compare.mask":        "reports have values, so only their owner can read them; name paths in staging.compare.ignore",
	"staging.compare.sets":        "name the paths that differ in staging.compare.ignore",
	"staging.rollback.calls":      "a rollback needs 20 calls, so delete it",
	"staging.rollback.window":     "a rollback counts the calls of a minute, so delete it",
	"staging.shadow.concurrency":  "two comparisons run at a time, so delete it",
	"staging.shadow.rate":         "ten comparisons start in a second, so delete it",
	"staging.shadow.share":        "every call is compared, ten in a second at most, so delete it",
	"staging.shadow.shares":       "every call is compared, ten in a second at most, so delete it",
	"staging.shadow.timeout":      "a comparison may take 10s, so delete it",
	"staging.shadow.waiting":      "64 comparisons wait, so delete it",
	"tls.hsts":                    "Strict-Transport-Security is sent for 180 days where the facade has the certificate, so delete it",
	"tracing":                     "set OTEL_EXPORTER_OTLP_ENDPOINT in the environment",
	"upstream.breaker":            "the circuit breaker opens when half of at least ten calls within ten seconds failed, so delete it",
	"upstream.client_share":       "one client has at most three quarters of upstream.max_concurrent, so delete it",
	"upstream.connect_timeout":    "a connection may take 5s, so delete it",
	"upstream.first_byte_timeout": "upstream.timeout limits the whole call",
	"update_handling":             "a client selects strict for a request with Prefer: handling=strict, so delete it",
	"upstream.max_body":           "a response of the site may have 32MiB, so delete it",
	"upstream.max_queue":          "64 calls may wait, so delete it",
	"upstream.max_retry_after":    "a Retry-After of the site counts for at most 30s, so delete it",
	"upstream.queue_timeout":      "a call waits for a slot for at most a second, so delete it",
	"upstream.retries":            "a failed read is tried twice more, so delete it",
	"upstream.retry_percent":      "there are at most 20 retries for each 100 calls, so delete it",
}

// removed returns the hint for an unknown key of the file, with its path; "" if it never was one.
func removed(path string) string {
	if hint := removedKeys[indexes.ReplaceAllString(path, "")]; hint != "" {
		return ": " + hint
	}
	return ""
}

var indexes = regexp.MustCompile(`\[\d+\]`)

// removedEnv returns the hint for an unknown variable.
func removedEnv(name string) string {
	for path, hint := range removedKeys {
		if name == variable(path) || strings.HasPrefix(name, variable(path)+"_") {
			return ": " + hint
		}
	}
	return ""
}
