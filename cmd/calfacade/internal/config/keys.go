package config

import (
	"encoding"
	"iter"
	"reflect"
	"strings"
)

// keyValue is one key of the configuration, with its value.
type keyValue struct {
	path    string              // such as upstream.timeout
	value   reflect.Value       // its value, which can be set
	field   reflect.StructField // of section
	section reflect.Type
}

// keyValues yields the keys of a section, which is a pointer to a struct, in their
// order, without the sections themselves. A list of mappings is one key: keyValues of
// an element yields what is in it.
func keyValues(path string, section any) iter.Seq[keyValue] {
	return func(yield func(keyValue) bool) { walkKeys(path, reflect.ValueOf(section).Elem(), yield) }
}

func walkKeys(path string, section reflect.Value, yield func(keyValue) bool) bool {
	for i := range section.NumField() {
		field, value := section.Type().Field(i), section.Field(i)
		if !field.IsExported() {
			continue
		}
		name := strings.TrimPrefix(path+"."+field.Tag.Get("yaml"), ".")
		if isSection(value) {
			if !walkKeys(name, value, yield) {
				return false
			}
		} else if !yield(keyValue{name, value, field, section.Type()}) {
			return false
		}
	}
	return true
}

// isSection distinguishes a struct of keys from one that is a value, such as [Secret].
func isSection(v reflect.Value) bool {
	_, isText := v.Interface().(encoding.TextMarshaler)
	return v.Kind() == reflect.Struct && !isText
}

// envPrefix begins every variable of the facade. One that names no key is an
// error, so that a typo is noticed. Kubernetes sets such variables for every
// Service: with one named "calfacade", a pod needs enableServiceLinks: false.
const envPrefix = "CALFACADE_"

// variable returns the name of the variable of a key.
func variable(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}
