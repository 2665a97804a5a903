package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// planted has no part of four characters that a message of this package has by itself.
const planted = "Kq7Zx2Vw9Pd4Hj8Tn3"

// shows returns the first part of planted that an error quotes; "" if no part is quoted.
func shows(err error) string {
	if err == nil {
		return ""
	}
	for i := range len(planted) - 3 {
		if part := planted[i : i+4]; strings.Contains(err.Error(), part) {
			return part
		}
	}
	return ""
}

// secretsEverywhere has planted in each kind of position of a secret.
const secretsEverywhere = `
public_url: https://api.example.org
languages: [{code: en, root: /wp-json, upstream: https://legacy.example.org/wp-json}]
log:
  level: "info"
admin:
  token: ` + planted + `
  purge_token: |-
    a-` + planted + `
  hosts: [a, b]
upstream:
  basic_auth: "ann:` + planted + `"
  headers:
    - "X-Key: ` + planted + `"
    - 'X-Other: ` + planted + `'
  wordpress_url: 'https://www.example.org'
cache:
  redis: [redis://:` + planted + `@127.0.0.1:6379]
  ttl: {events: 1s}
  prefix: "a"
edge:
  purge:
    - {name: a, type: webhook, url: "https://b", secret: ` + planted + planted + `}
staging:
  tester_token: >-
    a-` + planted + planted + `
  candidate: ""
`

// breaks are texts that change the meaning of YAML when they are inserted.
var breaks = []string{"*", "&", "!", "!!", "!!int ", "{", "}", "[", "]", ",", ", ", ":", ": ", " ", "\n", "\n  ", "\n      ", "\"",
	"'", "#", " #", "|", ">",
	"%", "@", "`", "<<: ", "? ", "- ", "\t", "\\", "---\n", "\x00", "\xff", "1.5 ", "&a ", "*a ", "{*a : ", "<<: *"}

// TestBrokenFileShowsNoSecret breaks a document at each place, in many ways. No error has a part of
// a secret, whatever key YAML reads it as.
func TestBrokenFileShowsNoSecret(t *testing.T) {
	if testing.Short() {
		t.Skip("one parse after the other: there is nothing for -race")
	}
	parse := func(document, place string) error {
		_, err := Parse("c.yaml", []byte(document), nil)
		if part := shows(err); part != "" {
			t.Errorf("%s: the error has %q:\n%v\nof the document\n%s", place, part, err, document)
		}
		return err
	}
	if err := parse(secretsEverywhere, "whole"); err != nil {
		t.Fatal(err)
	}
	broken := 0
	for i := range secretsEverywhere {
		head := secretsEverywhere[:i]
		tail := secretsEverywhere[i:]
		for j, text := range breaks {
			if (i+j)%4 != 0 {
				continue // each of them at every fourth place
			}
			if parse(head+text+tail, fmt.Sprintf("%q at %d", text, i)) != nil {
				broken++
			}
		}
		parse(head+tail[1:], fmt.Sprintf("without the byte at %d", i))
		parse(head, fmt.Sprintf("cut at %d", i))
		if line, remainder, ok := strings.Cut(tail, "\n"); ok {
			parse(head+remainder, fmt.Sprintf("without the line at %d", i))
			parse(head+line+"\n"+line+"\n"+remainder, fmt.Sprintf("with the line at %d twice", i))
		}
		if t.Failed() {
			return
		}
	}
	if broken < len(secretsEverywhere)*len(breaks)/8 {
		t.Errorf("only %d documents had errors", broken)
	}
}

// TestBrokenFileShowsNoValue gives each key of the file values of each form. No error of parsing has
// a part of the value, although the key holds no secret.
func TestBrokenFileShowsNoValue(t *testing.T) {
	if testing.Short() {
		t.Skip("one parse after the other: there is nothing for -race")
	}
	var paths []string
	for _, k := range new(Config).keys() {
		paths = append(paths, k.path)
	}
	paths = append(paths, "languages.code", "edge.purge.token", "edge.purge.rate", "unknown", "cache.unknown", "cache.ttl.events",
		"backends.upstreams")
	forms := []string{"%s", "*%s", "&a %s", "!%s", "!!%s", "!%s x", "!!int %s", "!!binary %s", "{%s}", "{%s: x}", "{a: %s}", "{a, %s}",
		"[%s]", "[{%s: x}]", "[{a: %s}]", "[[%s]]",
		"{? {a: %s} : b}", "{? [%s] : b}", "{<<: %s}", "{<<: [%s]}", "{<<: {%s: x}}", "{%s: a, %[1]s: b}", "[{%s: a, %[1]s: b}]", "\"%s",
		"'%s", "\"\\%s\"", "|%s", ">%s", "%%%s",
		"@%s", "`%s", "- %s", "? %s", "&%s {<<: *%[1]s}", "1.5e%s", "1.5\n%s: x", "1.5\n%s", "1.5\n %s", "1.5 %s:", "\n    %s: x",
		"\n    - %s", "\n    - %s: x", "\n    %s:"}
	for _, path := range paths {
		keys := strings.Split(path, ".")
		for _, form := range forms {
			flow := fmt.Sprintf(form, planted)
			for _, key := range slices.Backward(keys) {
				flow = "{" + key + ": " + flow + "}"
			}
			block := ""
			for i, key := range keys {
				block += "\n" + strings.Repeat("  ", i) + key + ": "
			}
			for _, d := range []string{flow, block + fmt.Sprintf(form, planted)} {
				cfg := Default()
				parsed := document{name: "c.yaml", files: map[string]namedFile{}}
				if err := errors.Join(parsed.decode([]byte(d), &cfg), errors.Join(parsed.problems...)); shows(err) != "" {
					t.Errorf("%q: %v", d, err)
				}
				if _, err := AdminListener([]byte(d), nil); shows(err) != "" && path != "admin_listen" {
					t.Errorf("the admin listener of %q: %v", d, err)
				}
			}
		}
	}
}
