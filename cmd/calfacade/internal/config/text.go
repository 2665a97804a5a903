package config

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

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
