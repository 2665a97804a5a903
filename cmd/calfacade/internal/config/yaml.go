package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// decodeYAML reads data twice: yaml.Node cannot be decoded with known fields only, and
// the Decoder alone is too lenient, see looseValues. Its errors name lines, and quote
// nothing of data: a missing quote or comma makes a secret another value, an anchor, a tag
// or a key.
func decodeYAML(name string, data []byte, cfg *Config) error {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return joinProblems(name, problemsOf(err))
	}
	var lines []string
	if utf8.Valid(data) { // yaml reads UTF-16 as well
		lines = lineBreak.Split(string(data), -1)
	}
	problems := looseValues(&root, "", secretKeys(), lines)

	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	err := dec.Decode(cfg)
	if err != nil && err != io.EOF {
		problems = append(problems, problemsOf(err)...)
	}
	if err != io.EOF && dec.Decode(new(yaml.Node)) != io.EOF {
		problems = append(problems, "only one YAML document is allowed")
	}
	return joinProblems(name, problems)
}

var lineBreak = regexp.MustCompile(`\r\n|[\r\n\x{85}\x{2028}\x{2029}]`)

// looseValues finds values that yaml decodes without an error although they are
// mistakes: a key without a value, which keeps its default; a fraction, whose decimals are
// dropped; a tag, which takes the first word of a secret that begins with !; and a text
// that takes in the lines below it. The keys in secret are texts, whatever they look like.
func looseValues(n *yaml.Node, key string, secret, lines []string) []string {
	var problems []string
	problem := func(text string) { problems = append(problems, fmt.Sprintf("line %d: %s", n.Line, text)) }
	isSecret := slices.Contains(secret, key)
	switch tag := n.ShortTag(); {
	case n.Style&yaml.TaggedStyle != 0 && tag != "!!str":
		problem("tags are not allowed: a text that begins with ! needs quotes")
	case n.Kind != yaml.ScalarNode || isSecret:
	case tag == "!!null":
		problem(`a key has no value: write "" or [] for empty, or delete the key for its default`)
	case tag == "!!float":
		problem("fractions are not allowed")
	case n.Line <= len(lines) && !strings.Contains(lines[n.Line-1], n.Value) && (n.Style == 0 || strings.Contains(n.Value, ": ")):
		problem("a text does not end in its line: is a quote missing, or is the next line indented too much?")
	}
	for i, child := range n.Content {
		childKey := key
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			childKey = strings.TrimPrefix(key+"."+n.Content[i-1].Value, ".")
		}
		problems = append(problems, looseValues(child, childKey, secret, lines)...)
	}
	return problems
}

// Errors of yaml name Go's types, which operators do not know.
var (
	unknownField = regexp.MustCompile(`(?s)^(line \d+: )field (.*) not found in type \w+\.(\w+)$`)
	keyTwice     = regexp.MustCompile(`(?s)^(line \d+: )mapping key .* already defined at (line \d+)$`)
	wrongValue   = regexp.MustCompile(`(?s)^(line \d+: )cannot unmarshal .* into (\S+)$`)
)

// joinProblems makes an error of problems of this package, which quote nothing, and of yaml.
func joinProblems(name string, problems []string) error {
	var errs []error
	for _, p := range problems {
		if m := unknownField.FindStringSubmatch(p); m != nil {
			p = m[1] + "unknown key" + cmp.Or(removed(m[2]), similarKey(m[2], m[3]))
		} else if m := wrongValue.FindStringSubmatch(p); m != nil {
			p = m[1] + "expected " + form(m[2])
		} else if m := keyTwice.FindStringSubmatch(p); m != nil {
			p = m[1] + "a key is already defined at " + m[2]
		}
		errs = append(errs, fmt.Errorf("%s: %s", name, p))
	}
	return errors.Join(errs...)
}

// form returns the form of the values of a Go type.
func form(goType string) string {
	if strings.HasPrefix(goType, "[]config.") {
		return "a list of mappings"
	}
	return cmp.Or(valueForms[goType], "a mapping")
}

// unquoted is the beginning of an error of yaml, up to what it quotes of the document. The
// punctuation that it expects is its own.
var unquoted = regexp.MustCompile(`^(?:yaml: )?(?:line \d+: )?(?:[A-Za-z ,<>%-]|'[^\w']{1,2}')*`)

// problemsOf returns the problems in an error of yaml, for joinProblems.
func problemsOf(err error) []string {
	if te, ok := errors.AsType[*yaml.TypeError](err); ok {
		return te.Errors
	}
	message := strings.TrimSpace(unquoted.FindString(err.Error()))
	if strings.HasSuffix(message, "unknown anchor") {
		message += ": a text that begins with * needs quotes"
	}
	return []string{message}
}

// secretKeys are the paths of the keys that hold secrets.
func secretKeys() []string {
	var paths []string
	sections := []keyValue{{value: reflect.ValueOf(new(Config))}}
	for len(sections) > 0 {
		for k := range keyValues(sections[0].path, sections[0].value.Interface()) {
			switch _, isSecrets := k.value.Interface().(Secrets); {
			case isSecrets, k.field.Type == reflect.TypeFor[Secret]():
				paths = append(paths, k.path)
			case k.field.Type.Kind() == reflect.Slice && k.field.Type.Elem().Kind() == reflect.Struct:
				k.value = reflect.New(k.field.Type.Elem())
				sections = append(sections, k)
			}
		}
		sections = sections[1:]
	}
	return paths
}
