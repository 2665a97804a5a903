package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decodeYAML reads data twice: yaml.Node cannot be decoded with known fields only, and
// the Decoder alone is too lenient, see looseValues.
func decodeYAML(name string, data []byte, cfg *Config) error {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	problems := looseValues(&root, "", secretKeys())

	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	err := dec.Decode(cfg)
	if te, ok := errors.AsType[*yaml.TypeError](err); ok {
		problems = append(problems, te.Errors...)
	} else if err != nil && err != io.EOF {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err != io.EOF && dec.Decode(new(yaml.Node)) != io.EOF {
		problems = append(problems, "only one YAML document is allowed")
	}
	return joinProblems(name, problems)
}

// looseValues finds values that yaml decodes without an error although they are
// mistakes: a key without a value, which keeps its default, and a fraction, whose
// decimals are dropped. The keys in secret are texts, whatever they look like.
func looseValues(n *yaml.Node, key string, secret []string) []string {
	var problems []string
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		if n.Kind == yaml.ScalarNode {
			problems = append(problems, fmt.Sprintf(`line %d: %s has no value: write "" or [] for empty, or delete the key for its default`, n.Line, key))
		}
	case tag == "!!float" && !slices.Contains(secret, key):
		problems = append(problems, fmt.Sprintf("line %d: %s does not accept a fraction: %s", n.Line, key, n.Value))
	}
	for i, child := range n.Content {
		childKey := key
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			childKey = strings.TrimPrefix(key+"."+n.Content[i-1].Value, ".")
		}
		problems = append(problems, looseValues(child, childKey, secret)...)
	}
	return problems
}

// Errors of yaml name Go's types, which operators do not know.
var (
	unknownField = regexp.MustCompile(`field (.*) not found in type \w+\.(\w+)$`)
	wrongValue   = regexp.MustCompile("cannot unmarshal !!\\w+(?: `([^`]*)`)? into (\\S+)$")
)

func joinProblems(name string, problems []string) error {
	var errs []error
	for _, p := range problems {
		p = replaceMatch(unknownField, p, func(m []string) string {
			return fmt.Sprintf("unknown key %q%s", m[1], cmp.Or(removed(m[1]), similarKey(m[1], m[2])))
		})
		p = replaceMatch(wrongValue, p, func(m []string) string { return wrong(m[1], m[2]) })
		errs = append(errs, fmt.Errorf("%s: %s", name, p))
	}
	return errors.Join(errs...)
}

func replaceMatch(pattern *regexp.Regexp, s string, by func(match []string) string) string {
	m := pattern.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	return strings.TrimSuffix(s, m[0]) + by(m)
}

// wrong returns what is wrong with a value for a Go type. A value in place of a mapping is
// not shown: it may be a secret of a key below.
func wrong(value, goType string) string {
	want, scalar := valueForms[goType]
	switch {
	case strings.HasPrefix(goType, "[]config."):
		return "expected a list of mappings"
	case !scalar:
		return "expected a mapping"
	case value == "":
		return "expected " + want
	}
	return fmt.Sprintf("%q is not %s", value, want)
}

// secretKeys are the paths of the keys that hold secrets.
func secretKeys() []string {
	var paths []string
	for k := range keyValues("", new(Config)) {
		switch k.value.Interface().(type) {
		case Secret, Secrets:
			paths = append(paths, k.path)
		}
	}
	return paths
}
