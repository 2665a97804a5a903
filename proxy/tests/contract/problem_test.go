package contract_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/google/go-cmp/cmp"
)

// TestProblemFromTheCache: one entry is served in both forms, and Vary keeps them apart in
// other caches.
func TestProblemFromTheCache(t *testing.T) {
	const wantsProblem = "Accept: application/problem+json"
	f := facadetest.NewCachedFacade(t, nil)
	envelope := `{"code":"event-not-found","message":"` + strings.Repeat("Gone. ", 400) + `","data":{"status":404}}`
	f.Answers(facadetest.Answer(http.StatusNotFound, envelope))
	f.Want("GET /events/5", "404 fwd=uri-miss; stored calls 1", "Accept-Encoding: gzip")

	res, body := f.Send("GET /events/5", wantsProblem, "Accept-Encoding: gzip")
	var got map[string]any
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if got["code"] != "event-not-found" || got["status"] != 404.0 || got["request_id"] != res.Header.Get("X-Request-Id") {
		t.Errorf("got %v", got)
	}
	head, _ := f.Send("HEAD /events/5", wantsProblem, "Accept-Encoding: gzip", "X-Request-Id: "+res.Header.Get("X-Request-Id"))
	for _, r := range []*http.Response{res, head} {
		if r.Header.Get("Content-Type") != "application/problem+json" || r.Header.Get("Content-Encoding") != "" ||
			r.Header.Get("Etag") != "" ||
			!strings.HasPrefix(r.Header.Get("Cache-Control"), "max-age=") || r.ContentLength != int64(len(body)) {
			t.Errorf("%d bytes, header %v", r.ContentLength, r.Header)
		}
	}
	plain, body := f.Send("GET /events/5")
	if diff := cmp.Diff(envelope, body); diff != "" {
		t.Errorf("the entry (-want +got):\n%s", diff)
	}
	packed, _ := f.Send("GET /events/5", "Accept-Encoding: gzip")
	if packed.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("the envelope is not compressed: %v", packed.Header)
	}
	for _, r := range []*http.Response{res, head, plain, packed} {
		if vary := strings.Join(r.Header.Values("Vary"), ", "); vary != "Accept-Encoding, Authorization, Accept" {
			t.Errorf("Vary: %s", vary)
		}
	}
}
