package onward

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxFastlyKeys is how many surrogate keys Fastly accepts in one call.
const maxFastlyKeys = 256

// fastlyCalls purges by surrogate keys. Everything is purged by the key that all responses have,
// because the service may serve other hosts too.
func (t Target) fastlyCalls(b batch, keys []string) []call {
	var all []call
	for _, some := range chunks(keys, maxFastlyKeys, 2*maxKeyBytes) {
		h := http.Header{"Fastly-Key": {t.Token}, "Surrogate-Key": {strings.Join(some, " ")}}
		if b.Soft {
			h.Set("Fastly-Soft-Purge", "1")
		}
		all = append(all, call{method: http.MethodPost, url: t.URL + "/service/" + t.ID + "/purge", header: h})
	}
	return all
}

// fastlyReset returns the wait until Fastly accepts calls again; 0 if it does not say so.
func fastlyReset(h http.Header, now time.Time) time.Duration {
	reset, err := strconv.ParseInt(h.Get("Fastly-RateLimit-Reset"), 10, 64)
	if err != nil {
		return 0
	}
	return max(0, time.Unix(reset, 0).Sub(now))
}
