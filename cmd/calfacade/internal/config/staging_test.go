package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Invalid values of the keys of staging. Each case is appended to a
// valid file.
func TestValidateStaging(t *testing.T) {
	const base = "public_url: https://api.example.org\n" +
		"languages: [{code: en, upstream: \"https://a.example.org/wp-json\"}, " +
		"{code: es, root: /es, upstream: \"https://a.example.org/es\"}]\n"
	const backend = "backends: [{name: new, dialect: calendar/events/v1, upstreams: {en: \"https://b.example.org/wp-json\"}}]\n"
	ids := func(text string) string {
		file := filepath.Join(t.TempDir(), "ids.csv")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return strings.Replace(backend, "name: new", "name: new, ids: "+file, 1)
	}
	tests := []struct{ name, yaml, want string }{
		{"a backend alone", backend, ""},
		{"ids", ids("events,12,900\n"), ""},
		{"ids of no resource", ids("events,12,900\nmeals,1,2\n"), "ids.csv: line 2: "},
		{"no file of ids", strings.Replace(backend, "name: new", "name: new, ids: /nowhere", 1), "backends[0].ids: /nowhere: "},
		{"shadow of all", backend + "staging: {candidate: new, rules: [{state: shadow}]}", ""},
		{"canary of all", backend + "staging: {candidate: new, rules: [{state: canary, percent: 10}]}", ""},
		{"new with fallback", backend + "staging: {candidate: new, rules: [{state: new_with_fallback}]}", ""},
		{"last rule wins", backend + "staging: {candidate: new, rules: [{methods: [read], state: new}, {state: new}]}", ""},
		{"split, but only read", backend + "writes: none\nstaging: {candidate: new, rules: [{methods: [read], state: new}]}", ""},
		{"split, but meant", backend + "staging: {candidate: new, force: true, rules: [{methods: [read], state: new}]}", ""},
		{"split in a language it does not have", backend +
			"staging: {candidate: new, rules: [{methods: [read], languages: [es], state: new}]}", ""},
		{"reads alone", backend + "staging: {candidate: new, rules: [{methods: [read], resources: [tags], state: canary, percent: 10}]}",
			"staging.rules: clients would write to one backend and read from the other (tags in en: reads are canary 10%, writes are " +
				"legacy): accept it with staging.force"},
		{"other percents", backend + "staging: {candidate: new, rules: [{resources: [tags], state: canary, percent: 10}, {methods: " +
			"[write], resources: [tags], state: canary, percent: 20}]}",
			"staging.rules: clients would write to one backend and read from the other (tags in en: reads are canary 10%, writes are " +
				"canary 20%): accept it with staging.force"},
		{"no such candidate", backend + "staging: {candidate: other}", `staging.candidate: "other" is not one of new`},
		{"rules without one", backend + "staging: {rules: [{state: shadow}]}", "staging.rules: require staging.candidate, which is empty"},
		{"the legacy's name", strings.Replace(backend, "name: new", "name: legacy", 1),
			`backends[0].name: "legacy" is the name of the legacy site`},
		{"no dialect", strings.Replace(backend, "calendar/", "x/", 1), "backends[0].dialect: "},
		{"a language that is not served", strings.Replace(backend, "{en:", "{fr:", 1), `backends[0].upstreams: "fr" is not one of en, es`},
		{"a word for a language", strings.Replace(backend, "upstreams", "language_param: lang, tell: {en: en_GB}, upstreams", 1), ""},
		{"a word and no parameter", strings.Replace(backend, "upstreams", "tell: {en: en_GB}, upstreams", 1),
			"backends[0].tell: requires language_param, which is empty"},
		{"a word for a language elsewhere", strings.Replace(backend, "upstreams",
			"language_param: lang, tell: {es: es_ES}, upstreams", 1), `backends[0].tell: "es" has no upstream`},
		{"a word that is none", strings.Replace(backend, "upstreams", "language_param: lang, tell: {en: e&n}, upstreams", 1),
			`backends[0].tell.en: "e&n" is neither empty nor made of letters, digits, - and _`},
		{"a word for two languages", "backends: [{name: new, dialect: calendar/events/v1, language_param: lang, tell: {es: en}, " +
			"upstreams: {en: \"https://b.example.org/wp-json\", es: \"https://b.example.org/wp-json\"}}]\n",
			`backends[0].tell: "en" is the name of both en and es`},
		{"plain http", strings.Replace(backend, "https://b", "http://b", 1), "backends[0].upstreams.en: is http: passwords of clients"},
		{"no percent", backend + "staging: {candidate: new, rules: [{state: canary}]}",
			"staging.rules[0].state: a canary takes 1 to 99 percent of the clients, not 0"},
		{"a percent of all", backend + "staging: {candidate: new, rules: [{state: new, percent: 5}]}",
			"staging.rules[0].state: new takes no share of clients or requests"},
		{"no state", backend + "staging: {candidate: new, rules: [{methods: [get], state: gone}]}",
			"staging.rules[0].methods[0]: \"get\" is not one of read, write\nstaging.rules[0].state: \"gone\" is not one of"},
		{"a member that is none", "staging: {compare: {ignore: [\"events[].cost\"]}}", "staging.compare: "},
		{"a share of requests", backend + "staging: {candidate: new, rules: [{state: canary, percent: 10, by: requests}]}", ""},
		{"a share of clients", backend + "staging: {candidate: new, rules: [{state: canary, percent: 10, by: clients}]}", ""},
		{"a share of something else", backend + "staging: {candidate: new, rules: [{state: canary, percent: 10, by: days}]}",
			"staging.rules[0].state: a canary is by clients or by requests"},
		{"testers", "staging: {tester_token: testers-0123456789abcdef}", ""},
		{"a short token", "staging: {tester_token: testers-0123}",
			"staging.tester_token: must have at least 16 ASCII characters, without spaces"},
		{"a token for more", "admin: {token: testers-0123456789abcdef}\nstaging: {tester_token: testers-0123456789abcdef}",
			"staging.tester_token: must differ from admin.token, which has more privileges"},
		{"testers of earlier versions", "staging: {testers: {key: testers-0123456789abcdef-0123456789}}",
			"c.yaml: line 3: unknown key: testers share one secret now, staging.tester_token"},
		{"a lease of earlier versions", "staging: {write_lease: 10s}",
			"c.yaml: line 3: unknown key: each write looks at the decisions in Redis"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("c.yaml", []byte(base+tt.yaml), nil)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}
