package walking_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// form is the reduced form of a call, to look it up among the recordings: the user, the
// request and its outcome, and the form of each value.
type form struct {
	call   string   // "update events/{id} credentials 200"
	values []string // "update events/{id} title=text", sorted
}

const routeParam = "rest_route"

// refused marks the form of a value in a call that was refused: a refusal shows
// nothing of accepted values.
const refused = " refused"

// formOf reduces a call; ok is false for one that is not to a REST interface.
func formOf(c processtest.SiteCall) (f form, ok bool) {
	u, err := url.Parse(c.Target)
	if err != nil {
		return form{}, false
	}
	route := u.Query().Get(routeParam) // of a site with plain permalinks
	if span := processtest.RestPart.FindStringIndex(u.EscapedPath()); span != nil {
		route = u.EscapedPath()[span[1]:]
	} else if route == "" {
		return form{}, false
	}
	segments := strings.Split(strings.Trim(route, "/"), "/")
	for i, s := range segments {
		switch {
		case i > 0 && segments[i-1] == "by-slug":
			segments[i] = "{slug}"
		case processtest.IDSegment.MatchString(s) && i > 1:
			segments[i] = "{id}"
		}
	}
	key := kindOfCall(c.Method, segments) + " " + strings.Join(segments, "/")
	f.call = strings.TrimSpace(fmt.Sprintf("%s %s %d %s", key, identityClass(c.Header), c.Status, errorCode(c)))
	values := map[string]bool{}
	for name, members := range u.Query() {
		if name == tribe.Dialect.LanguageParam || name == routeParam {
			continue // declared on every route, index/en/namespace; or no parameter of a route
		}
		for _, value := range members {
			values[name+"="+textForm(value)] = true
		}
	}
	for name, kind := range bodyForms(c) {
		values[name+"="+kind] = true
	}
	for value := range maps.Keys(values) {
		if c.Status >= http.StatusBadRequest {
			value += refused
		}
		f.values = append(f.values, key+" "+value)
	}
	slices.Sort(f.values)
	return f, true
}

// kindOfCall names a method. POST, PUT and PATCH of an item are one thing to the site.
func kindOfCall(method string, segments []string) string {
	last := segments[len(segments)-1]
	item := last == "{id}" || last == "{slug}"
	switch method {
	case http.MethodPost:
		if item {
			return "update"
		}
		return "create"
	case http.MethodPut, http.MethodPatch:
		return "update"
	}
	return strings.ToLower(method)
}

func identityClass(h http.Header) string {
	if h.Get("Authorization") != "" || h.Get("Cookie") != "" || h.Get("X-Wp-Nonce") != "" {
		return "credentials"
	}
	return "anonymous"
}

func errorCode(c processtest.SiteCall) string {
	var e struct{ Code any }
	if c.Status < http.StatusBadRequest || json.Unmarshal(c.Answer, &e) != nil || e.Code == nil {
		return ""
	}
	return fmt.Sprint(e.Code)
}

// textForms are the forms of a text, the first that fits.
var textForms = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"empty", regexp.MustCompile(`^$`)},
	{"flag", regexp.MustCompile(`^(?i:true|false)$`)},
	{"first-day", regexp.MustCompile(`^1970-01-01`)},
	{"epoch", regexp.MustCompile(`^@?-?\d{9,}$`)},
	{"number", regexp.MustCompile(`^-?\d+$`)},
	{"decimal", regexp.MustCompile(`^-?\d*\.\d+$`)},
	{"numbers", regexp.MustCompile(`^\d+(,\d+)+$`)},
	{"instant", regexp.MustCompile(`^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$`)},
	{"date", regexp.MustCompile(`^\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?$`)},
	{"url", regexp.MustCompile(`^[a-z]+:`)},
	{"words", regexp.MustCompile(``)},
}

func textForm(s string) string {
	for _, f := range textForms {
		if f.pattern.MatchString(s) {
			return f.name
		}
	}
	panic("BUG: the last form fits all")
}

// bodyForms are the forms of the fields of a body, in JSON or as a form.
func bodyForms(c processtest.SiteCall) map[string]string {
	forms := map[string]string{}
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(c.Body))
	if d.Decode(&fields) == nil {
		for name, value := range fields {
			forms[name] = jsonForm(value)
		}
		return forms
	}
	if values, err := url.ParseQuery(string(c.Body)); err == nil && bytes.ContainsRune(c.Body, '=') &&
		!bytes.HasPrefix(c.Body, []byte("--")) {
		for name, items := range values {
			forms[name] = textForm(items[0])
		}
	}
	return forms
}

// jsonForm is the form of a value in JSON: of a list the form of its elements.
func jsonForm(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "json-number"
	case string:
		return textForm(v)
	case []any:
		kinds := map[string]bool{}
		for _, e := range v {
			kinds[jsonForm(e)] = true
		}
		return "[" + strings.Join(slices.Sorted(maps.Keys(kinds)), " ") + "]"
	}
	return "object"
}
