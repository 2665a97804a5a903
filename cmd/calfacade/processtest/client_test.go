package processtest

import (
	"encoding/json"
	"testing"
)

func TestLeakCheckSees(t *testing.T) {
	const legacy = "http://127.0.0.1:9"
	for _, body := range []string{
		`{"rest_url":"http:\/\/elsewhere.example\/tribe\/events\/v1"}`,
		`{"a":[{"taxonomy":"tribe_events_cat"}]}`,
		`{"wpml_language":1}`,
		`{"url":"http:\/\/127.0.0.1:9\/es\/wp-json\/"}`,
		`{"href":"http://127.0.0.1:9/?post_type=tribe_events&p=5"}`,
		`{"url":"http://elsewhere.example/?post_type=tribe_events&p=5"}`,
		`{"url":"http://127.0.0.1:9/?post_type=tribe_events_cat&p=5"}`,
		`{"url":"http://127.0.0.1:9/?post_type=tribe_events&tribe_events=a&p=5"}`,
		`{"url":"http://127.0.0.1:9/?tribe_events=fair"}`,
		`{"url":"http://127.0.0.1:9/index.php?rest_route=/oembed"}`,
		`{"url":"http://elsewhere.example/event/tribe_events/"}`,
		`{"venue":{"href":"https://x.example/wp-json/wp/v2/tags"}}`,
		`{"venue":{"href":"https://x.example/index.php?rest_route=%2Foembed"}}`,
		`{"href":"https://x.example/wp%2Fv2"}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		if len(LeaksIn("", v, legacy)) != 1 {
			t.Errorf("no leak seen in %s", body)
		}
	}
}
