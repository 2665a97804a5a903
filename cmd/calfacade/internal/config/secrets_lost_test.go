package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// secretKeys returns the paths of all secrets, and those among them that are lists. A key in a list of
// mappings has the index 0.
func secretKeys() (paths []string, lists map[string]bool) {
	lists = map[string]bool{}
	var add func(keys []key)
	add = func(keys []key) {
		for _, k := range keys {
			switch {
			case isList(k.value):
				add(keysBelow(k.path+"[0]", reflect.New(k.value.Type().Elem()).Elem()))
			case isSecret(k.value):
				paths = append(paths, k.path)
				lists[k.path] = k.value.Kind() == reflect.Slice
			}
		}
	}
	add(new(Config).keys())
	return paths, lists
}

// block returns a document that sets the key of a path to a text, which ends in the last line.
func block(path, text string) string {
	var doc strings.Builder
	indent := ""
	for name := range strings.SplitSeq(path, ".") {
		name, inList := strings.CutSuffix(name, "[0]")
		fmt.Fprintf(&doc, "%s%s:", indent, name)
		if inList {
			doc.WriteString("\n" + indent + "  - name: a")
			indent += "  "
		}
		indent += "  "
		doc.WriteString("\n")
	}
	return strings.TrimSuffix(doc.String(), "\n") + " " + text + "\n"
}

// TestSecretsAreNotLost: a secret of which YAML leaves nothing is an error, in every key that holds a secret. It
// names the key, the line and the cause, and quotes nothing.
func TestSecretsAreNotLost(t *testing.T) {
	const noValue = ` has no value: a secret that begins with &, # or ! needs quotes; write "" for none`
	const tagged = ": tags are not allowed: a text that begins with ! needs quotes"
	causes := map[string]string{
		"&" + planted: noValue, "#" + planted: noValue, "": noValue, "~": noValue, "null": noValue, "!": noValue,
		"&" + planted + " # " + planted: noValue, "!!str": noValue, "|": noValue, ">-": noValue,
		"!" + planted: tagged, "!!" + planted: tagged, "!" + planted + " " + planted: tagged, "!!binary " + planted: tagged,
	}
	paths, lists := secretKeys()
	if len(paths) < 8 {
		t.Fatalf("too few secrets: %v", paths)
	}
	check := func(doc, path, cause string) {
		t.Helper()
		line := strings.Count(strings.TrimRight(doc, "\n"), "\n") + 1
		_, err := Parse("c.yaml", []byte(doc), nil)
		checkError(t, err, fmt.Sprintf("c.yaml: line %d: %s%s", line, path, cause))
	}
	for _, path := range paths {
		for text, cause := range causes {
			check(block(path, text), path, cause)
			if lists[path] {
				check(block(path, "\n      - "+text), path+"[0]", cause)
			}
		}
	}
	for _, doc := range []string{"admin: {token: &" + planted + "}", "admin: {token: }", "admin: {token}"} {
		check(doc, "admin.token", noValue)
	}
}

// TestSecretsMayBeEmpty: an empty secret in quotes is no secret, and a secret in quotes keeps its first character.
func TestSecretsMayBeEmpty(t *testing.T) {
	for text, want := range map[string]string{
		`""`: "", `''`: "", `"&` + planted + `"`: "&" + planted, `'#` + planted + `'`: "#" + planted, `"!` + planted + `"`: "!" + planted,
		"&a " + planted: planted,
	} {
		c, err := Parse("c.yaml", []byte(readFile(t, minimalFile)+"\nadmin: {token: "+text+"}"), nil)
		if err != nil || c.Admin.Token.Reveal() != want {
			t.Errorf("%s: got %q, want %q: %v", text, c.Admin.Token.Reveal(), want, err)
		}
	}
}
