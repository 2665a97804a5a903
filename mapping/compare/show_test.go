package compare_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// TestSecretsAreNotShown searches the findings of two documents for a secret that the documents
// have in every place where one may be.
func TestSecretsAreNotShown(t *testing.T) {
	const secret = "hunter2"
	for _, test := range []struct{ name, member, value string }{
		{"parameter", "url", "https://a.example/?id=5&password=hunter2&x=1"},
		{"first parameter", "url", "https://a.example/?TOKEN=hunter2"},
		{"at the end", "url", "https://a.example/?a=1#access_token=hunter2"},
		{"nonce", "url", "https://a.example/?_wpnonce=hunter2"},
		{"key", "url", "https://a.example/?key=hunter2&api_key=hunter2"},
		{"list", "url", "https://a.example/?token[]=hunter2&pass%5B0%5D=hunter2"},
		{"HTML", "text", `<a href="/?a=1&amp;password=hunter2">x</a> <a href='/?a=1&#038;sig=hunter2'>y</a>`},
		{"user", "url", "https://admin:hunter2@a.example/"},
		{"not in a URL", "text", "secret=hunter2"},
		{"name of a member", "client_secret", "hunter2"},
		{"many", "url", "https://a.example/?" + strings.Repeat("&key=hunter2", 100)},
		{"masked", "pass", "hunter2"},
		{"behind much else", "url", "https://a.example/?password=" + strings.Repeat("x", 1700) + "hunter2"},
		{"cut", "url", "https://a.example/?a=" + strings.Repeat("a", 160) + "&password=hunter2hunter2hunter2hunter2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := comparer(t, compare.Rules{})
			text := `{"` + test.member + `":"` + strings.ReplaceAll(test.value, `"`, `\"`) + `"}`
			for _, pair := range [][2]string{
				{text, strings.ReplaceAll(text, secret, "hunter2x")},
				{text, `{}`},
				{`{}`, text},
				{text, `{"` + test.member + `":[1]}`},
				{`[` + text + `]`, `[]`},
				{`{"` + test.member + `":{"id":"hunter2"}}`, `{"` + test.member + `":["hunter2"]}`},
			} {
				for _, d := range c.Documents("events.read", ok(pair[0]), ok(pair[1])) {
					if joined := d.Path + d.Item + d.Want + d.Got; strings.Contains(joined, "hunter") {
						t.Errorf("%s: %s", pair, joined)
					}
					if len(d.Want) > compare.MaxShown || len(d.Got) > compare.MaxShown {
						t.Errorf("%d and %d bytes are shown", len(d.Want), len(d.Got))
					}
				}
			}
			var f compare.Findings
			f.Add(listStep("en", test.value, 0, difference{Path: "a", Kind: "value"}))
			if got := f.Snapshot().Findings[0].Calls[0]; strings.Contains(got, "hunter") && test.member != "pass" &&
				test.member != "client_secret" {
				t.Errorf("call %s", got)
			}
		})
	}
}

// TestSecretsOfTheTable: a parameter that the table marks as secret is one here, whatever its
// name.
func TestSecretsOfTheTable(t *testing.T) {
	secrets := 0
	for _, e := range mapping.Table {
		for _, p := range e.Args {
			if !p.Secret {
				continue
			}
			secrets++
			first := ok(`{"` + p.Name + `":"hunter2"}`)
			second := ok(`{"` + p.Name + `":"hunter3"}`)
			var f compare.Findings
			f.Add(listStep("en", e.Path+"?"+p.Name+"=hunter2", 0, comparer(t, compare.Rules{}).Documents(e.Name(), first, second)...))
			snapshot := fmt.Sprint(f.Snapshot())
			if strings.Contains(snapshot, "hunter") || !strings.Contains(snapshot, p.Name+"=(hidden)") {
				t.Errorf("%s of %s is shown: %s", p.Name, e.Name(), snapshot)
			}
		}
	}
	if secrets == 0 {
		t.Error("the table has no secret")
	}
}

// TestMaskedIDs: ids are masked like other values.
func TestMaskedIDs(t *testing.T) {
	c := comparer(t, compare.Rules{})
	for _, got := range []string{`{"pass":[]}`, `{"pass":[{"id":"B","x":2}]}`, `{"pass":[{"id":"C"},{"id":"B"}]}`} {
		for _, d := range c.Documents("events.read", ok(`{"pass":[{"id":"B","x":1},{"id":"C"}]}`), ok(got)) {
			if strings.ContainsAny(d.Item+d.Want+d.Got, "BC") {
				t.Errorf("%s: %+v", got, d)
			}
		}
	}
}

func TestShownIsShort(t *testing.T) {
	for _, text := range []string{strings.Repeat("a", 1000), "a" + strings.Repeat("é", 1000), "aa" + strings.Repeat("語", 1000),
		strings.Repeat("😀", 51)} {
		d := comparer(t, compare.Rules{}).Documents("events.read", ok(`{"`+text+`":{"a":"`+text+`"}}`), ok(`{"`+text+`":{"a":1}}`))
		if len(d) != 1 {
			t.Fatal(d)
		}
		for _, s := range []string{d[0].Path, d[0].Want} {
			if len(s) > compare.MaxShown+8 || len(s) < compare.MaxShown-12 || !utf8.ValidString(s) || !strings.Contains(s, "…") {
				t.Errorf("%d bytes: %s", len(s), s)
			}
		}
	}
}
