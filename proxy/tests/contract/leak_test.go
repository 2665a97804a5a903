package contract_test

import (
	"encoding/json"
	"testing"

	"github.com/calfacade/calfacade/proxy/facadetest"
)

func TestLeakCheckSees(t *testing.T) {
	for _, body := range []string{
		`{"rest_url":"http:\/\/x.example\/wp-json\/tribe\/events\/v1"}`,
		`{"a":[{"taxonomy":"tribe_events_cat"}]}`,
		`{"wpml_language":"x"}`,
		`{"href":"https://x.example/wp-json/wp/v2/tags"}`,
		`{"url":"https://legacy.example/es/wp-json/"}`,
		`{"h":{"X-TEC-Total":"5"}}`,
		`{"a":"https:\u002f\u002fx.example\u002ftribe\u002fevents\u002fv1"}`,
		`{"a":"HTTPS://LEGACY.EXAMPLE:443/index.php/WP-JSON/"}`,
		`{"a":"//127.0.0.1:8080/wp-json"}`,
		`{"a":"https://x.example/index.php?rest_route=%2Foembed"}`,
		`{"a":"https://x.example/wp%2Fv2"}`,
		`{"code":"x","message":"see http://legacy.example/es/wp-json/"}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		if len(facadetest.LeaksIn("", v)) == 0 {
			t.Errorf("no leak seen in %s", body)
		}
	}
}
