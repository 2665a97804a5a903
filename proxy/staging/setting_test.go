package staging_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/staging"
)

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		setting staging.Setting
		want    string // "": valid
	}{
		{staging.Setting{State: staging.Legacy}, ""},
		{staging.Setting{State: staging.Shadow}, ""},
		{staging.Setting{State: staging.Canary, Percent: 1}, ""},
		{staging.Setting{State: staging.Canary, Percent: 99}, ""},
		{staging.Setting{State: staging.New}, ""},
		{staging.Setting{State: staging.NewWithFallback}, ""},
		{staging.Setting{}, `"" is not one of [legacy shadow canary new new_with_fallback]`},
		{staging.Setting{State: "old"}, `"old" is not one of [legacy shadow canary new new_with_fallback]`},
		{staging.Setting{State: staging.Canary}, "a canary takes 1 to 99 percent of the clients, not 0"},
		{staging.Setting{State: staging.Canary, Percent: 100}, "a canary takes 1 to 99 percent of the clients, not 100"},
		{staging.Setting{State: staging.New, Percent: 10}, "new takes no share of clients or requests"},
		{staging.Setting{State: staging.Legacy, Percent: -1}, "legacy takes no share of clients or requests"},
		{staging.Setting{State: staging.Canary, Percent: 10, By: "lists"}, "a canary is by clients or by requests"},
		{staging.Setting{State: staging.Shadow, By: staging.Requests}, "shadow takes no share of clients or requests"},
	} {
		got := ""
		if err := test.setting.Check(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%+v: %q, want %q", test.setting, got, test.want)
		}
	}
}

func TestParseSetting(t *testing.T) {
	for _, s := range []staging.Setting{legacy, shadow, canary(1), canary(99), everything, fallback, ofRequests(10)} {
		if got, err := staging.ParseSetting(s.String()); got != s || err != nil {
			t.Errorf("%s: got %s, %v", s, got, err)
		}
	}
	for text, want := range map[string]string{
		" canary  10 ":  "canary 10% <nil>",
		"":              ` want a state, such as "canary 10%" or "canary 10% of requests"`,
		"canary 10 % x": ` want a state, such as "canary 10%" or "canary 10% of requests"`,
		"canary ten":    ` want a state, such as "canary 10%" or "canary 10% of requests"`,

		"canary 10 of requests":  "canary 10% of requests <nil>",
		"canary 10% of clients":  "canary 10% <nil>",
		"canary 0% of requests":  "canary 0% of requests a canary takes 1 to 99 percent of the requests, not 0",
		"canary 10% of calls":    "canary 10% of calls a canary is by clients or by requests",
		"canary 10% by requests": ` want a state, such as "canary 10%" or "canary 10% of requests"`,
		"canary 10% of":          ` want a state, such as "canary 10%" or "canary 10% of requests"`,
		"canary 10%%":            ` want a state, such as "canary 10%" or "canary 10% of requests"`,
		"canary":                 "canary 0% a canary takes 1 to 99 percent of the clients, not 0",
		"new 10%":                "new new takes no share of clients or requests",
		"newer":                  `newer "newer" is not one of [legacy shadow canary new new_with_fallback]`,
	} {
		s, err := staging.ParseSetting(text)
		if got := fmt.Sprintf("%s %v", s, err); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// allCells are the cells of the tests.
var allCells = staging.Cells([]string{"events", "venues"}, []string{"en", "es"})

func TestCells(t *testing.T) {
	want := "[read events en write events en read events es write events es read venues en write venues en read venues es write venues es]"
	if got := fmt.Sprint(allCells); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// rule returns a rule with a setting, for a part of the matrix.
func rule(setting staging.Setting, resource, language string, ops ...staging.Op) staging.Rule {
	r := staging.Rule{Setting: setting}
	r.Ops = ops
	if resource != "" {
		r.Resources = []string{resource}
	}
	if language != "" {
		r.Languages = []string{language}
	}
	return r
}

func canary(percent int) staging.Setting {
	return staging.Setting{State: staging.Canary, Percent: percent}
}

func ofRequests(percent int) staging.Setting {
	return staging.Setting{State: staging.Canary, Percent: percent, By: staging.Requests}
}

var (
	legacy     = staging.Setting{State: staging.Legacy}
	shadow     = staging.Setting{State: staging.Shadow}
	everything = staging.Setting{State: staging.New}
	fallback   = staging.Setting{State: staging.NewWithFallback}
)

// away are the cells that are not at the legacy.
func away(settings map[staging.Cell]staging.Setting) map[string]string {
	lines := map[string]string{}
	for c, s := range settings {
		if s != legacy {
			lines[c.String()] = s.String()
		}
	}
	return lines
}

func TestSettings(t *testing.T) {
	for name, test := range map[string]struct {
		rules []staging.Rule
		want  map[string]string
	}{
		"no rules": {nil, map[string]string{}},
		"nil means all": {[]staging.Rule{rule(canary(5), "", "en")}, map[string]string{
			"read events en": "canary 5%", "write events en": "canary 5%", "read venues en": "canary 5%", "write venues en": "canary 5%",
		}},
		"an empty list means none": {[]staging.Rule{
			{Setting: everything, Selection: staging.Selection{Ops: []staging.Op{}}},
			{Setting: everything, Selection: staging.Selection{Resources: []string{}}},
			{Setting: everything, Selection: staging.Selection{Languages: []string{}}},
		}, map[string]string{}},
		"the last rule wins": {
			[]staging.Rule{rule(everything, "events", ""), rule(canary(7), "", "es"), rule(legacy, "venues", "")},
			map[string]string{"read events en": "new", "write events en": "new", "read events es": "canary 7%",
				"write events es": "canary 7%"},
		},
		"one operation": {[]staging.Rule{rule(everything, "events", "en", staging.Read)}, map[string]string{"read events en": "new"}},
		"writes go to one backend": {
			[]staging.Rule{rule(shadow, "events", "en"), rule(fallback, "events", "es")},
			map[string]string{"read events en": "shadow", "read events es": "new_with_fallback", "write events es": "new"},
		},
		"a share of requests has no writes": {[]staging.Rule{rule(ofRequests(10), "events", "en")},
			map[string]string{"read events en": "canary 10% of requests"}},
		"unknown names": {[]staging.Rule{rule(everything, "things", ""), rule(everything, "", "xx")}, map[string]string{}},
	} {
		if diff := cmp.Diff(test.want, away(staging.Settings(allCells, test.rules))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSplit(t *testing.T) {
	for name, test := range map[string]struct {
		rules []staging.Rule
		want  []string
	}{
		"none":                       {nil, nil},
		"the same share":             {[]staging.Rule{rule(canary(10), "", "")}, nil},
		"all, and all with fallback": {[]staging.Rule{rule(everything, "", ""), rule(fallback, "", "", staging.Read)}, nil},
		"no reads there":             {[]staging.Rule{rule(shadow, "", "")}, nil},
		"reads alone": {
			[]staging.Rule{rule(everything, "venues", "", staging.Read)},
			[]string{"venues in en: reads are new, writes are legacy", "venues in es: reads are new, writes are legacy"},
		},
		"a share of requests": {[]staging.Rule{rule(ofRequests(10), "", "")}, nil},
		"a share of requests, and writes there": {
			[]staging.Rule{rule(everything, "events", "en"), rule(ofRequests(10), "events", "en", staging.Read)},
			[]string{"events in en: reads are canary 10% of requests, writes are new"},
		},
		"a share of requests, and of writers": {
			[]staging.Rule{rule(canary(10), "events", "en"), rule(ofRequests(10), "events", "en", staging.Read)},
			[]string{"events in en: reads are canary 10% of requests, writes are canary 10%"},
		},
		"writes alone": {[]staging.Rule{rule(canary(1), "events", "es", staging.Write)},
			[]string{"events in es: reads are legacy, writes are canary 1%"}},
		"other clients": {[]staging.Rule{rule(canary(10), "", "en"), rule(canary(20), "events", "en", staging.Read)},
			[]string{"events in en: reads are canary 20%, writes are canary 10%"}},
	} {
		if diff := cmp.Diff(test.want, staging.Split(allCells, staging.Settings(allCells, test.rules))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestNumberOf: every instance, of any build, assigns a client the same bucket.
func TestNumberOf(t *testing.T) {
	for client, want := range map[string]int{"": 37, "192.0.2.1": 80, "Basic dXNlcjpwYXNz": 20} {
		if got := int(staging.NumberOf(client) % 100); got != want {
			t.Errorf("%q: %d, want %d", client, got, want)
		}
	}
}

// TestBucketsAreEven: each bucket has about a percent of the clients, even if they differ in
// their last characters only.
func TestBucketsAreEven(t *testing.T) {
	const clients = 10_000
	for name, client := range map[string]func(i int) string{
		"addresses": func(i int) string { return fmt.Sprintf("10.1.%d.%d", i/250, i%250) },
		"networks":  func(i int) string { return fmt.Sprintf("2001:db8:%x::/64", i) },
		"sign-ins":  func(i int) string { return fmt.Sprintf("wordpress_logged_in_0=user%d", i) },
	} {
		var counts [100]int
		for i := range clients {
			counts[staging.NumberOf(client(i))%100]++
		}
		sum := 0
		for bucket, n := range counts {
			if n < clients/200 || n > clients/50 {
				t.Errorf("%s: %d of %d clients are in bucket %d", name, n, clients, bucket)
			}
			sum += n
			if want := (bucket + 1) * clients / 100; sum < want-clients/66 || sum > want+clients/66 {
				t.Errorf("%s: %d of %d clients are in a canary of %d %%", name, sum, clients, bucket+1)
			}
		}
	}
}
