package config

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/i18n"
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
// these steps reports all its errors together. A step does not run after errors of
// the step before, so that it reports no consequences of these; unknown keys have none.
func Parse(name string, data []byte, env []string) (Config, error) {
	cfg := Default()
	d := document{name: name, files: map[string]namedFile{}}
	err := d.decode(data, &cfg)
	if err != nil {
		return Config{}, err
	}
	unknown := errors.Join(d.problems...)
	if d.wrong {
		return Config{}, unknown
	}
	err = cmp.Or(cfg.overlay(env, d.files), checkProxies(env))
	if err == nil {
		err = cfg.readFiles(d.files)
	}
	cfg.normalize()
	switch {
	case err != nil:
	case cfg.PublicURL != "" || len(cfg.Languages) > 0:
		err = cfg.Validate()
	case unknown == nil:
		err = fmt.Errorf("%s is not filled in: set public_url, the URL of this API, and languages, "+
			"a REST root of the site for each; all other keys have defaults", name)
	}
	if err = errors.Join(unknown, err); err != nil {
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
		for j := range l.Aliases {
			trim(&l.Aliases[j])
		}
		l.Select = cmp.Or(l.Select, i18n.ByBoth)
	}
}

// readFiles reads the files that keys name: secrets, as container platforms mount them, and ids.
func (c *Config) readFiles(secrets map[string]namedFile) error {
	var f faults
	for _, key := range slices.Sorted(maps.Keys(secrets)) {
		if file := secrets[key]; file.name != "" {
			f.secretFile(key, file)
		}
	}
	c.readDigests()
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

// secretFile sets a secret to the content of its file: of a list, each line is one. Errors quote the
// name of the file, but not its content.
func (f *faults) secretFile(key string, file namedFile) {
	data, err := os.ReadFile(file.name)
	if err != nil {
		f.check(false, key+"_file", "%v", err)
		return
	}
	text := strings.TrimSpace(string(data))
	f.check(text != "", key+"_file", "%s is empty", file.name)
	isSet := false
	switch into := file.into.(type) {
	case *Secret:
		isSet = into.Reveal() != ""
		*into = NewSecret(text)
	case *Secrets:
		isSet = len(*into) > 0
		*into = NewSecrets(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }))
	}
	f.check(!isSet, key+"_file", "%s is set as well: use one of the two", key)
}

// digest identifies the content of a file.
type digest [sha256.Size]byte

// readDigests reads the files of certificates, which other packages read again. It must be called
// before they do, so that a change in between is noticed by the next reload. An error in a file is
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

// emptyValue is another way to write an empty value.
const emptyValue = `""`

// overlay sets the keys that environ has variables for, in the order of the variables' names, so
// that a variable can append the next language to the list. It adds the files of secrets to files.
func (c *Config) overlay(environ []string, files map[string]namedFile) error {
	vars := map[string]string{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && strings.HasPrefix(name, envPrefix) && name != FileVariable {
			vars[name] = value
		}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		text := vars[name]
		if text == emptyValue {
			text = ""
		}
		if err := c.setVariable(name, text, files); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func (c *Config) setVariable(name, text string, files map[string]namedFile) error {
	for resource := range c.Cache.TTL {
		if name == variable("cache.ttl."+resource) {
			d := c.Cache.TTL[resource]
			err := setText(reflect.ValueOf(&d).Elem(), text)
			c.Cache.TTL[resource] = d
			return err
		}
	}
	if k := c.lookup(name); k.value.IsValid() {
		if err := setText(k.value, text); !errors.Is(err, errNoText) {
			return err
		}
	} else if base, isFile := strings.CutSuffix(name, "_FILE"); isFile {
		if secret := c.lookup(base); isSecret(secret.value) {
			files[secret.path] = namedFile{text, secret.value.Addr().Interface()}
			return nil
		}
	}
	return fmt.Errorf("no key of the configuration has this name%s", cmp.Or(removedEnv(name), c.similarEnv(name)))
}

// lookup returns the key whose variable has the name; the zero value for none. If that is a key of
// the language after the last one, lookup appends this language.
func (c *Config) lookup(name string) keyValue {
	for k := range keyValues("", c) {
		if name == variable(k.path) {
			return k
		}
	}
	languages := append(slices.Clip(c.Languages), i18n.Language{})
	for i := range languages {
		for k := range keyValues(fmt.Sprintf("languages.%d", i), &languages[i]) {
			if name == variable(k.path) {
				c.Languages = languages[:max(i+1, len(c.Languages))]
				return k
			}
		}
	}
	return keyValue{}
}

// AdminListener returns [Config.AdminListen] from a YAML document and an environment. It
// ignores errors in other keys.
func AdminListener(data []byte, env []string) (string, error) {
	partial := struct {
		AdminListen string `yaml:"admin_listen"`
	}{Default().AdminListen}
	d := document{name: "reading the configuration"}
	if err := d.decode(data, &partial); err != nil {
		return "", err
	}
	if d.wrong {
		return "", errors.Join(d.problems...)
	}
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, variable("admin_listen")+"="); ok {
			partial.AdminListen = strings.TrimPrefix(value, emptyValue)
		}
	}
	var f faults
	if partial.AdminListen != "" {
		f.address("admin_listen", partial.AdminListen)
	}
	return partial.AdminListen, errors.Join(f...)
}
