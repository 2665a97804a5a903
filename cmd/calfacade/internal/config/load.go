package config

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Load parses the content of a file. An empty file is valid by itself: the environment
// may set everything.
func Load(file string, env []string) (Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Config{}, fmt.Errorf("reading the configuration: %w", err)
	}
	return Parse(file, data, env)
}

// Parse decodes data, a YAML document, over the defaults, overrides the result by the
// CALFACADE_ variables of env (as of os.Environ), reads the files of secrets and of
// ids, and validates the outcome. name is the name of the document in errors. Each of
// the five steps reports all its errors together. A step does not run after errors of
// the step before, so that it reports no consequences of these.
func Parse(name string, data []byte, env []string) (Config, error) {
	cfg := Default()
	if err := decodeYAML(name, data, &cfg); err != nil {
		return Config{}, err
	}
	if err := overlayEnv(&cfg, env); err != nil {
		return Config{}, err
	}
	if err := checkProxies(env); err != nil {
		return Config{}, err
	}
	cfg.readDigests()
	if err := cfg.readSecretFiles(); err != nil {
		return Config{}, err
	}
	if err := cfg.readIDs(); err != nil {
		return Config{}, err
	}
	cfg.normalize()
	if cfg.PublicURL == "" && len(cfg.Languages) == 0 {
		return Config{}, fmt.Errorf("%s is not filled in: set public_url, the URL of this API, and languages, "+
			"a REST root of the site for each; all other keys have defaults", name)
	}
	if err := cfg.Validate(); err != nil {
		return Config{}, err
	}
	return cfg, nil
}

// normalize sets the defaults of the elements of lists, and removes the trailing slashes
// of URLs, so that paths can be appended.
func (c *Config) normalize() {
	trim := func(url *string) { *url = strings.TrimRight(*url, "/") }
	trim(&c.PublicURL)
	c.PublicURL = siteurl.ASCIIHost(c.PublicURL) // for header fields
	trim(&c.Rewrite.Site)
	trim(&c.Upstream.WordPressURL)
	for i := range c.Upstream.SiteAliases {
		trim(&c.Upstream.SiteAliases[i])
	}
	for i := range c.Backends {
		b := &c.Backends[i]
		for code, url := range b.Upstreams {
			b.Upstreams[code] = siteurl.Root(url)
		}
		for j := range b.SiteAliases {
			trim(&b.SiteAliases[j])
		}
	}
	for i := range c.Languages {
		l := &c.Languages[i]
		l.Upstream = siteurl.Root(l.Upstream)
		for j := range l.SiteAliases {
			trim(&l.SiteAliases[j])
		}
		l.setDefaults()
	}
}

// readSecretFiles reads the secrets in files of their own, as container platforms mount them: a key
// token_file names the file of token.
func (c *Config) readSecretFiles() error {
	var f faults
	f.secretFiles("", c)
	for i := range c.Edge.Purge {
		f.secretFiles(fmt.Sprintf("edge.purge[%d]", i), &c.Edge.Purge[i])
	}
	return errors.Join(f...)
}

// secretFiles reads the files of the secrets of a section, which is a pointer to a struct.
func (f *faults) secretFiles(path string, section any) {
	keys := map[string]any{}
	for k := range keyValues(path, section) {
		keys[k.path] = k.value.Addr().Interface()
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		key, isFile := strings.CutSuffix(name, "_file")
		file, isText := keys[name].(*string)
		if !isFile || !isText || *file == "" {
			continue
		}
		switch secret := keys[key].(type) {
		case *Secret:
			lines := f.secretFile(key, *file, secret.Reveal() != "")
			*secret = NewSecret(strings.Join(lines, "\n"))
		case *Secrets:
			lines := f.secretFile(key, *file, len(*secret) > 0)
			*secret = NewSecrets(lines)
		}
	}
}

// secretFile returns the lines of a file. Errors quote its name, but not its content.
func (f *faults) secretFile(key, file string, isSet bool) []string {
	f.check(!isSet, key+"_file", "%s is set as well: use one of the two", key)
	data, err := os.ReadFile(file)
	if err != nil {
		f.check(false, key+"_file", "%v", err)
		return nil
	}
	text := strings.TrimSpace(string(data))
	f.check(text != "", key+"_file", "%s is empty", file)
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
}

// digest identifies the content of a file.
type digest [sha256.Size]byte

// readDigests reads the files that are named by keys outside of lists. It must be called before these
// files are used, so that a change in between is noticed by the next reload. An error in a file is
// reported where it is used.
func (c *Config) readDigests() {
	c.files = map[string]digest{}
	for k := range keyValues("", c) {
		if !strings.HasSuffix(k.path, "_file") {
			continue
		}
		if data, err := os.ReadFile(k.value.String()); err == nil {
			c.files[k.path] = sha256.Sum256(data)
		}
	}
}

// readIDs reads the files of ids.
func (c *Config) readIDs() error {
	var f faults
	for i := range c.Backends {
		b := &c.Backends[i]
		if b.IDs == "" {
			continue
		}
		text, err := os.ReadFile(b.IDs)
		if err == nil {
			b.ids, err = mapping.ParseIDs(text)
		}
		f.check(err == nil, fmt.Sprintf("backends[%d].ids", i), "%s: %v", b.IDs, err)
	}
	return errors.Join(f...)
}

// emptyValue is another way to write an empty value.
const emptyValue = `""`

// overlayEnv sets the keys that environ has variables for, in the order of the
// variables' names, so that a variable can append the next language to the list.
func overlayEnv(cfg *Config, environ []string) error {
	vars := map[string]string{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && strings.HasPrefix(name, envPrefix) {
			vars[name] = value
		}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if err := cfg.setVariable(name, vars[name]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func (c *Config) setVariable(name, text string) error {
	if text == emptyValue {
		text = ""
	}
	for resource := range c.Cache.TTL {
		if name == variable("cache.ttl."+resource) {
			d := reflect.New(reflect.TypeFor[time.Duration]()).Elem()
			err := setText(d, text)
			c.Cache.TTL[resource] = time.Duration(d.Int())
			return err
		}
	}
	if value, ok := c.lookup(name); ok {
		if err := setText(value, text); !errors.Is(err, errNoText) {
			return err
		}
	}
	return fmt.Errorf("no key of the configuration has this name%s", cmp.Or(removedEnv(name), c.similarEnv(name)))
}

// lookup returns the value of the key whose variable has the name. If that is a key
// of the language after the last one, lookup appends this language.
func (c *Config) lookup(name string) (value reflect.Value, ok bool) {
	for k := range keyValues("", c) {
		if name == variable(k.path) {
			return k.value, true
		}
	}
	languages := append(slices.Clip(c.Languages), Language{})
	for i := range languages {
		for k := range keyValues(fmt.Sprintf("languages.%d", i), &languages[i]) {
			if name == variable(k.path) {
				c.Languages = languages[:max(i+1, len(c.Languages))]
				return k.value, true
			}
		}
	}
	return value, false
}

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

// errNoText reports a key that no text can set: a mapping, or a list of mappings.
var errNoText = errors.New("only in the file")

// valueForms are the values that a Go type accepts, in words.
var valueForms = map[string]string{
	"bool": "true or false", "float64": "a number", "int": "a whole number", "int64": "a whole number",
	"string": "a text", "[]string": "a list of texts", "time.Duration": "a duration, such as 10s",
}

// setText parses a text by the type of a value, and sets the value.
func setText(value reflect.Value, text string) (err error) {
	switch v := value.Addr().Interface().(type) {
	case *bool:
		*v, err = strconv.ParseBool(text)
	case *int:
		var n int64
		n, err = strconv.ParseInt(text, 10, 0)
		*v = int(n)
	case *time.Duration:
		*v, err = time.ParseDuration(text)
	case *[]string:
		*v = splitList(text)
	case *Secret:
		*v = NewSecret(text)
	case *Secrets:
		*v = NewSecrets(splitList(text))
	case encoding.TextUnmarshaler:
		err = v.UnmarshalText([]byte(text))
	default:
		if value.Kind() != reflect.String {
			return errNoText
		}
		value.SetString(text)
	}
	if what, ok := valueForms[value.Type().String()]; ok && err != nil {
		return fmt.Errorf("%q is not %s", text, what)
	}
	return err
}

// splitList splits a list at its commas; an empty text is an empty list.
func splitList(text string) []string {
	if text == "" {
		return nil
	}
	list := strings.Split(text, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}
