package onward

import (
	"encoding/json"
	"net/http"
)

// maxCloudflareTags is how many tags Cloudflare accepts in one call.
const maxCloudflareTags = 100

// cloudflareCalls purges by cache tags. Everything is purged by the tag that all responses have:
// purge_everything would purge the pages of the whole zone. Cloudflare knows no soft purge.
func (t Target) cloudflareCalls(keys []string) []call {
	var all []call
	for _, some := range chunks(keys, maxCloudflareTags, 1<<20) {
		body, err := json.Marshal(map[string][]string{"tags": some})
		if err != nil {
			panic("BUG: no JSON: " + err.Error())
		}
		h := t.bearer()
		h.Set("Content-Type", "application/json")
		all = append(all, call{method: http.MethodPost, url: t.URL + "/zones/" + t.ID + "/purge_cache", header: h, body: body})
	}
	return all
}

// cloudflareDone reports whether the body of a 200 confirms the purge.
func cloudflareDone(body []byte) bool {
	var answer struct{ Success bool }
	return json.Unmarshal(body, &answer) == nil && answer.Success
}
