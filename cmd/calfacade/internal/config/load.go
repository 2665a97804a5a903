package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// Load parses the content of a file. An empty file is valid: the environment may set everything.
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
// the step before, so that no consequences of earlier errors are reported; unknown keys have no consequences.
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
	err = errors.Join(cfg.overlay(env, d.files), checkProxies(env))
	if err == nil {
		err = cfg.readFiles(d.files)
	}
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

// readFiles reads the files that keys name: secrets, as container platforms mount them, CAs and ids.
func (c *Config) readFiles(secrets map[string]namedFile) error {
	var f faults
	for _, key := range slices.Sorted(maps.Keys(secrets)) {
		file := secrets[key]
		if file.name != "" {
			f.secretFile(key, file)
		}
	}
	var err error
	c.Upstream.CAs, err = ReadCAs(c.Upstream.CAFile)
	f.check(err == nil, "upstream.ca_file", "%v", err)
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

// secretFile sets a secret to the content of a file: each line of the file is one secret of a list. Errors
// quote the name of the file, but not the content.
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

// emptyOr returns the value of a variable. Two quotes are another way to write an empty value.
func emptyOr(value string) string {
	if value == `""` {
		return ""
	}
	return value
}

// overlay sets the keys that environ has variables for. Variables may append languages to the list. The files
// of secrets are added to files.
func (c *Config) overlay(environ []string, files map[string]namedFile) error {
	vars := map[string]string{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && strings.HasPrefix(name, envPrefix) && name != FileVariable {
			vars[name] = emptyOr(value)
		}
	}
	keys := map[string]key{}
	for _, k := range slices.DeleteFunc(c.keys(), key.isMapping) {
		keys[Variable(k.path)] = k
	}
	for _, k := range c.languageKeys(vars) {
		keys[Variable(k.path)] = k
	}
	ttl := map[string]*time.Duration{}
	for resource, d := range c.Cache.TTL {
		ttl[resource] = &d
		keys[Variable("cache.ttl."+resource)] = key{value: reflect.ValueOf(&d).Elem()}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		k, ok := keys[name]
		secret := keys[strings.TrimSuffix(name, "_FILE")]
		var err error
		switch {
		case ok:
			err = setText(k.value, vars[name])
		case isSecret(secret.value):
			files[secret.path] = namedFile{name: vars[name], into: secret.value.Addr().Interface()}
		default:
			err = errors.New("no key of the configuration has this name" + removedEnv(name))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	for resource, d := range ttl {
		c.Cache.TTL[resource] = *d
	}
	return errors.Join(errs...)
}

// languageKeys appends the languages that only variables name, and returns the keys of all languages.
func (c *Config) languageKeys(vars map[string]string) (keys []key) {
	path := func(i int) string { return fmt.Sprintf("languages.%d", i) }
	for {
		prefix := Variable(path(len(c.Languages))) + "_"
		if !slices.ContainsFunc(slices.Collect(maps.Keys(vars)), func(name string) bool { return strings.HasPrefix(name, prefix) }) {
			break
		}
		c.Languages = append(c.Languages, i18n.Language{})
		setDefaults(reflect.ValueOf(&c.Languages[len(c.Languages)-1]).Elem())
	}
	for i := range c.Languages {
		keys = append(keys, keysBelow(path(i), reflect.ValueOf(&c.Languages[i]).Elem())...)
	}
	return keys
}

// AdminListener returns [Config.AdminListen] from a YAML document and an environment, and ignores errors in
// other keys.
func AdminListener(data []byte, env []string) (string, error) {
	c := Default()
	d := document{name: "reading the configuration", files: map[string]namedFile{}}
	if err := d.decode(data, &c); err != nil {
		return "", err
	}
	_ = c.overlay(env, d.files) // errors of other keys, and of values without a form
	var f faults
	f.value("admin_listen", "?address", reflect.ValueOf(c.AdminListen))
	return c.AdminListen, errors.Join(f...)
}

// Files returns the files that a YAML document and an environment name, sorted, and ignores errors in both.
func Files(data []byte, env []string) []string {
	c := Default()
	d := document{files: map[string]namedFile{}}
	if d.decode(data, &c) != nil {
		return nil
	}
	_ = c.overlay(env, d.files) // reported when the configuration is loaded
	names := fileNames(c.keys())
	for _, secret := range d.files {
		names = append(names, secret.name)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// fileNames returns the values of the keys that name files, also of those in lists.
func fileNames(keys []key) (names []string) {
	for _, k := range keys {
		switch {
		case k.tag.Get("file") != "":
			names = append(names, k.value.String())
		case isList(k.value):
			for i := range k.value.Len() {
				names = append(names, fileNames(keysBelow(k.path, k.value.Index(i)))...)
			}
		}
	}
	return names
}
