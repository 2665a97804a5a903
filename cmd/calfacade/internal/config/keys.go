package config

import (
	"encoding"
	"fmt"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/legacyclients"
)

// key is one key of the configuration.
type key struct {
	name  string            // such as timeout
	path  string            // such as upstream.timeout
	tag   reflect.StructTag // yaml, default, check, file and restart: see [Config]
	value reflect.Value     // can be set
}

// keysOf returns the keys of a section, in their order. The keys of an inlined struct are the section's own.
func keysOf(path string, section reflect.Value) (keys []key) {
	for field, value := range section.Fields() {
		name, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case option == "inline":
			keys = append(keys, keysOf(path, value)...)
		case name != "" && name != "-":
			keys = append(keys, key{
				name:  name,
				path:  strings.TrimPrefix(path+"."+name, "."),
				tag:   field.Tag,
				value: value,
			})
		}
	}
	return keys
}

// keysBelow returns the keys of a section and of the sections in it, without these sections. A list of
// mappings is one key.
func keysBelow(path string, section reflect.Value) (keys []key) {
	for _, k := range keysOf(path, section) {
		if isSection(k.value) {
			keys = append(keys, keysBelow(k.path, k.value)...)
		} else {
			keys = append(keys, k)
		}
	}
	return keys
}

// setDefaults sets the keys of a section that have a default in the tag.
func setDefaults(section reflect.Value) {
	for _, k := range keysBelow("", section) {
		if text, ok := k.tag.Lookup("default"); ok {
			if err := setText(k.value, text); err != nil {
				panic("BUG: the default of " + k.path + ": " + err.Error())
			}
		}
	}
}

// isSection distinguishes a struct of keys from a struct that is a value, such as [Secret].
func isSection(v reflect.Value) bool {
	_, isText := v.Interface().(encoding.TextMarshaler)
	return v.Kind() == reflect.Struct && !isText
}

// isList reports whether a value is a list of mappings.
func isList(v reflect.Value) bool {
	return v.Kind() == reflect.Slice && isSection(reflect.Zero(v.Type().Elem()))
}

func isSecret(v reflect.Value) bool {
	return v.IsValid() && (v.Type() == reflect.TypeFor[Secret]() || v.Type() == reflect.TypeFor[Secrets]())
}

// envPrefix begins every variable of the facade. A variable that names no key is an error, so that a typo is
// noticed. Kubernetes sets such variables for every Service: with one named "calfacade", a pod needs
// enableServiceLinks: false.
const envPrefix = "CALFACADE_"

// FileVariable is the variable that names the file of the configuration, and no key.
const FileVariable = envPrefix + "CONFIG"

// Variable returns the name of the variable of a key.
func Variable(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// isMapping reports whether the file alone can set a key.
func (k key) isMapping() bool { return k.value.Kind() == reflect.Map || isList(k.value) }

// TTLs are durations by the collections of the table, and [freshness.Errors].
type TTLs = map[string]time.Duration

// forms are the values that a Go type accepts, in words.
var forms = map[reflect.Type]string{
	reflect.TypeFor[bool]():                "true or false",
	reflect.TypeFor[int]():                 "a whole number",
	reflect.TypeFor[time.Duration]():       "a duration, such as 10s",
	reflect.TypeFor[Size]():                "a size such as 32MiB, 1MB or 1048576",
	reflect.TypeFor[edge.Quota]():          edge.QuotaForm,
	reflect.TypeFor[Secret]():              "a text",
	reflect.TypeFor[Secrets]():             "a text or a list of texts",
	reflect.TypeFor[time.Time]():           "a date such as 2027-01-31, or a time such as 2027-01-31T10:00:00Z",
	reflect.TypeFor[legacyclients.Hours](): "a period of the day such as 09:00-10:30",
	reflect.TypeFor[netip.Prefix]():        "an address or a network such as 10.0.0.0/8",
	reflect.TypeFor[TTLs]():                "a mapping such as {events: 60s}",
}

// form returns the form of the values that a value can be set to.
func form(v reflect.Value) string {
	text := forms[v.Type()]
	switch {
	case text != "":
		return text
	case isList(v):
		return "a list of mappings"
	case v.Kind() == reflect.Slice:
		return "a list of texts"
	case v.Kind() == reflect.String:
		return "a text"
	}
	return "a mapping"
}

// setText parses a text by the type of a value that is no mapping, and sets the value.
func setText(value reflect.Value, text string) (err error) {
	switch v := value.Addr().Interface().(type) {
	case *bool:
		*v, err = strconv.ParseBool(text)
	case *int:
		*v, err = strconv.Atoi(text)
	case *time.Duration:
		*v, err = time.ParseDuration(text)
	case encoding.TextUnmarshaler:
		err = unmarshal(v, text)
	default:
		if value.Kind() == reflect.Slice {
			return setList(value, text)
		}
		value.SetString(text)
	}
	if err != nil {
		return fmt.Errorf("%q is not %s", text, form(value))
	}
	return nil
}

// unmarshal parses a text into a value, which may be a single address where a network is expected, and a
// date or nothing where a time is.
func unmarshal(into encoding.TextUnmarshaler, text string) (err error) {
	switch v := into.(type) {
	case *netip.Prefix:
		*v, err = parseNetwork(text)
	case *time.Time:
		*v, err = parseTime(text)
	default:
		err = v.UnmarshalText([]byte(text))
	}
	return err
}

func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	return time.Parse(time.RFC3339, text)
}

// parseNetwork parses a network, or a single address as a network.
func parseNetwork(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

// setList sets a list to the elements that commas separate; an empty text is an empty list.
func setList(list reflect.Value, text string) error {
	list.SetZero()
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		element := reflect.New(list.Type().Elem()).Elem()
		if err := setText(element, strings.TrimSpace(part)); err != nil {
			return err
		}
		list.Set(reflect.Append(list, element))
	}
	return nil
}
