package rewrite

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRewriteMessages: no text of an error shows the URL of the legacy's REST interface. No recorded
// error but pages of HTML has that URL; errors of plugins do.
func TestRewriteMessages(t *testing.T) {
	const es = "https://api.example/es/calendar/events/v1"
	for _, test := range []struct{ message, want string }{
		{"See https://legacy.example/blog/es/wp-json/tribe/events/v1/events/5.", "See " + es + "/events/5."},
		{"(https://legacy.example/blog/wp-json/tribe/events/v1/events?a=1&wpml_language=es)",
			"(https://api.example/calendar/events/v1/events?a=1&i18n_language=es)"},
		{"//legacy.example/blog/es/?rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents, or not", es + "/events, or not"},
		{`at <a href=\"https:\/\/legacy.example\/blog\/es\/wp-json\/\">home<\/a>`,
			`at <a href=\"` + strings.ReplaceAll(es, "/", `\/`) + `\">home<\/a>`},
		{`HTTP://legacy.example:80/blog/es/index.php/wp-json/wp/v2/users\nand more`, es + `\nand more`},
		{"http:\\u002f\\u002f10.0.0.1\\u002ftribe\\u002fevents\\u002fv1\\u002fevents twice",
			strings.ReplaceAll(es+"/events", "/", `\/`) + " twice"},
		{"https://legacy.example/blog/wp-json https://legacy.example/blog/es/wp-json", "https://api.example/calendar/events/v1 " + es},
		{"No route /tribe/events/v1/events, no tribe%2Fevents%2Fv1, no tribe/events/v10",
			"No route /calendar/events/v1/events, no calendar%2Fevents%2Fv1, no tribe/events/v10"},
		{`no tribe\/events\/v1`, `no calendar\/events\/v1`},
		{"https://legacy.example/blog/wp-login.php?action=lostpassword", "https://legacy.example/blog/wp-login.php?action=lostpassword"},
		{"https://elsewhere.example/?to=https://legacy.example/blog/wp-json/wp/v2",
			"https://elsewhere.example/?to=https://api.example/calendar/events/v1"},
		{"URL=HTTPS://legacy.example/blog/es/wp-json/", "URL=" + es},
		{"http://legacy.example/blog/es/wp-json/tribe/events/v1/caf\\u00e9 ...", es + "/caf\\u00e9 ..."},
		{"a // b, see https://elsewhere.example/wp-json/x, 2 \\\\/ 3", "a // b, see https://elsewhere.example/wp-json/x, 2 \\\\/ 3"},
		{"caf\\u00e9 // \\ud83c\\udf89 \\\"", "caf\\u00e9 // \\ud83c\\udf89 \\\""},
	} {
		wrap := func(s string) string {
			return `{"code":"x","message":"` + s + `","data":{"status":404,"details":[{"y":"` + s + `"}]}}`
		}
		got := rewrite(t, testRewriter(""), "events.read", "", http.StatusNotFound, wrap(test.message))
		if diff := cmp.Diff(wrap(test.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.message, diff)
		}
	}
}
