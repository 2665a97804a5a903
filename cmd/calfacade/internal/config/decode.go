package config

import (
	"bytes"
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document decodes a YAML document into structs. Its errors name lines, and quote nothing: a
// missing quote or comma makes a secret another value, an anchor, a tag or a key.
type document struct {
	name  string
	lines []string
	files map[string]namedFile // by the path of the key

	problems faults
	wrong    bool // some problem is not an unknown key
}

// namedFile is the file of a secret, which a key of the same name and _file names.
type namedFile struct {
	name string
	into any // *Secret or *Secrets
}

// decode decodes data into a struct. Fields that data does not name keep their values. The error is a
// problem of syntax; all other problems are in d.
func (d *document) decode(data []byte, into any) error {
	if utf8.Valid(data) { // yaml reads UTF-16 as well
		d.lines = lineBreak.Split(string(data), -1)
	}
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	err := decoder.Decode(&root)
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return fmt.Errorf("%s: %s", d.name, syntaxProblem(err))
	case decoder.Decode(new(yaml.Node)) != io.EOF:
		return fmt.Errorf("%s: only one YAML document is allowed", d.name)
	}
	d.value("", root.Content[0], reflect.ValueOf(into).Elem())
	return nil
}

var lineBreak = regexp.MustCompile(`\r\n|[\r\n\x{85}\x{2028}\x{2029}]`)

// unquoted matches the beginning of an error of yaml, up to the text that the error quotes from the document.
// The punctuation in the expression is from messages of yaml.
var unquoted = regexp.MustCompile(`^(?:yaml: )?(?:line \d+: )?(?:[A-Za-z ,<>%-]|'[^\w']{1,2}')*`)

func syntaxProblem(err error) string {
	message := strings.TrimSpace(unquoted.FindString(err.Error()))
	if strings.HasSuffix(message, "unknown anchor") {
		message += ": a text that begins with * needs quotes"
	}
	return message
}

func (d *document) problem(n *yaml.Node, text string) {
	d.wrong = true
	d.problems = append(d.problems, fmt.Errorf("%s: line %d: %s", d.name, n.Line, text))
}

// unknown adds a problem that does not keep the other keys from being checked.
func (d *document) unknown(n *yaml.Node, hint string) {
	wrong := d.wrong
	d.problem(n, "unknown key"+hint)
	d.wrong = wrong
}

// value decodes a node into a value, which can be set.
func (d *document) value(path string, n *yaml.Node, into reflect.Value) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	var problem string
	if isSecret(into) {
		problem = lossOf(path, n)
	} else {
		problem = d.loose(n)
	}
	if problem != "" {
		d.problem(n, problem)
		return
	}
	err := errForm
	switch target := into.Addr().Interface().(type) {
	case *Secrets:
		if n.Kind == yaml.ScalarNode {
			*target = NewSecrets([]string{n.Value})
			err = nil
		}
	case encoding.TextUnmarshaler:
		if n.Kind == yaml.ScalarNode {
			err = unmarshal(target, n.Value)
		}
	default:
		if n.Kind == yaml.ScalarNode && !isSection(into) {
			err = n.Decode(target)
		}
	}
	switch {
	case n.Kind == yaml.MappingNode && isSection(into):
		d.section(path, n, into)
	case n.Kind == yaml.MappingNode && into.Kind() == reflect.Map:
		d.entries(path, n, into)
	case n.Kind == yaml.SequenceNode && into.Kind() == reflect.Slice:
		into.SetZero()
		into.Grow(len(n.Content))
		into.SetLen(len(n.Content))
		for i, item := range n.Content {
			if isList(into) {
				setDefaults(into.Index(i))
			}
			d.value(fmt.Sprintf("%s[%d]", path, i), item, into.Index(i))
		}
	case err != nil:
		d.problem(n, "expected "+form(into))
	}
}

// errForm is the error of a mapping or a list where a scalar is expected, or the other way round.
var errForm = errors.New("wrong kind of node")

// section decodes a mapping into a struct.
func (d *document) section(path string, n *yaml.Node, into reflect.Value) {
	fields := map[string]reflect.Value{}
	for _, k := range keysOf(path, into) {
		fields[k.name] = k.value
	}
	d.eachPair(n, func(key, value *yaml.Node) {
		keyPath := strings.TrimPrefix(path+"."+key.Value, ".")
		base, isFile := strings.CutSuffix(key.Value, "_file")
		field, ok := fields[key.Value]
		switch {
		case ok:
			d.value(keyPath, value, field)
		case isFile && isSecret(fields[base]):
			file := namedFile{into: fields[base].Addr().Interface()}
			d.value(keyPath, value, reflect.ValueOf(&file.name).Elem())
			d.files[strings.TrimSuffix(keyPath, "_file")] = file
		default:
			d.unknown(key, cmp.Or(removed(keyPath), ": want one of "+strings.Join(slices.Sorted(maps.Keys(fields)), ", ")))
		}
	})
}

// entries decodes a mapping into a map. A map that already has entries accepts their keys only.
func (d *document) entries(path string, n *yaml.Node, into reflect.Value) {
	fixed := into.Len() > 0
	if !fixed {
		into.Set(reflect.MakeMap(into.Type()))
	}
	d.eachPair(n, func(key, value *yaml.Node) {
		name := reflect.ValueOf(key.Value)
		if fixed && !into.MapIndex(name).IsValid() {
			d.unknown(key, "")
			return
		}
		element := reflect.New(into.Type().Elem()).Elem()
		d.value(path+"."+key.Value, value, element)
		into.SetMapIndex(name, element)
	})
}

// eachPair calls f with the keys and values of a mapping.
func (d *document) eachPair(n *yaml.Node, f func(key, value *yaml.Node)) {
	lines := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		first := lines[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			d.unknown(key, "")
		case first > 0:
			d.problem(key, fmt.Sprintf("a key is already defined at line %d", first))
		default:
			lines[key.Value] = key.Line
			f(key, n.Content[i+1])
		}
	}
}

// loose returns why a value is a mistake although yaml decodes it: a key without a value, which
// keeps its default; a fraction, since yaml drops the decimals; a tag, which takes the first word of a
// text that begins with !; and a text that takes in the lines below it.
func (d *document) loose(n *yaml.Node) string {
	tag := n.ShortTag()
	switch {
	case isTagged(n):
		return noTags
	case n.Kind != yaml.ScalarNode:
	case tag == "!!null":
		return `a key has no value: write "" or [] for empty, or delete the key for its default`
	case tag == "!!float":
		return "fractions are not allowed"
	case n.Line <= len(d.lines) && !strings.Contains(d.lines[n.Line-1], n.Value) && (n.Style == 0 || strings.Contains(n.Value, ": ")):
		return "a text does not end in its line: is a quote missing, or is the next line indented too much?"
	}
	return ""
}

const noTags = "tags are not allowed: a text that begins with ! needs quotes"

// isTagged reports whether a node has a tag other than the tag of texts.
func isTagged(n *yaml.Node) bool { return n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!str" }

// lossOf returns why a secret, or a list of secrets, differs from the text of the file: yaml took the
// beginning for an anchor, a comment or a tag, and the process would start without the secret. Other secrets
// are texts, even if they look like numbers. A path names no secret: paths consist of keys of [Config] and of
// indexes.
func lossOf(path string, n *yaml.Node) string {
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	switch {
	case isTagged(n):
		return path + ": " + noTags
	case n.Kind == yaml.ScalarNode && !quoted && (n.Value == "" || n.ShortTag() == "!!null"):
		return path + ` has no value: a secret that begins with &, # or ! needs quotes; write "" for none`
	}
	return ""
}
