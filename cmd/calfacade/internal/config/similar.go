package config

import (
	"errors"
	"reflect"
	"strings"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/similar"
)

// similarKey returns a hint if the section of a Go type has a key like an unknown one; "" if it
// has none.
func similarKey(unknown, section string) string {
	return similar.Hint(unknown, namesIn(reflect.TypeFor[Config](), section))
}

// similarEnv returns a hint if there is a variable like an unknown one; "" if there is none.
func (c *Config) similarEnv(unknown string) string {
	var names []string
	for k := range keyValues("", c) {
		if err := setText(reflect.New(k.value.Type()).Elem(), ""); !errors.Is(err, errNoText) {
			names = append(names, variable(k.path))
		}
	}
	return similar.Hint(unknown, names)
}

// namesIn returns the keys of the section with a Go type, which is in t or t itself.
func namesIn(t reflect.Type, section string) []string {
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch below := namesIn(field.Type, section); {
		case len(below) > 0:
			return below
		case t.Name() == section && name != "" && name != "-":
			names = append(names, name)
		}
	}
	return names
}
