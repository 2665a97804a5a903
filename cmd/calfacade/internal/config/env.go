package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

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
