package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

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
	if err := cfg.readSecretFiles(); err != nil {
		return Config{}, err
	}
	if err := cfg.readIDs(); err != nil {
		return Config{}, err
	}
	cfg.normalize()
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

// Errors of yaml name Go's types, which operators do not know. The value in place of a
// mapping is removed as well: it may be a secret of a key below.
var (
	unknownField = regexp.MustCompile(`field (.*) not found in type \S+$`)
	listType     = regexp.MustCompile(`into \[\]config\.\w+$`)
	structType   = regexp.MustCompile("( `[^`]*`)? into config\\.\\w+$")
)

func joinProblems(name string, problems []string) error {
	var errs []error
	for _, p := range problems {
		if m := unknownField.FindStringSubmatch(p); m != nil {
			p = unknownField.ReplaceAllString(p, `unknown key "$1"`) + removed(m[1])
		}
		p = listType.ReplaceAllString(p, "into a list of mappings")
		p = structType.ReplaceAllString(p, " into a mapping")
		errs = append(errs, fmt.Errorf("%s: %s", name, p))
	}
	return errors.Join(errs...)
}
