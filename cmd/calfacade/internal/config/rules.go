package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// faults are the problems of a configuration.
type faults []error

// check adds a problem with key unless ok.
func (f *faults) check(ok bool, key, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, args...)))
	}
}

func (f *faults) oneOf(key, value string, allowed ...string) {
	f.check(slices.Contains(allowed, value), key, "%q is not one of %s", value, strings.Join(allowed, ", "))
}

func (f *faults) encrypted(key, url string, plain bool) {
	f.check(plain || !inTheClear(url), key,
		"is http: passwords of clients would pass the network unencrypted; use https, or accept it with upstream.allow_plain_http")
}

// inTheClear reports whether calls to a URL leave the machine unencrypted.
func inTheClear(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Scheme == "http" && u.Hostname() != "" && !isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// section checks the keys of a section by the rules in their tags.
func (f *faults) section(path string, section reflect.Value) {
	for _, k := range keysBelow(path, section) {
		f.value(k.path, k.tag.Get("check"), k.value)
	}
}

// value checks a value by a rule: a name in patterns or forms, or positive, or "in" and the values,
// or "resource" and further values, or "range" and the bounds. A rule after a question mark accepts the zero value too. Each element of a
// list or a mapping is checked.
func (f *faults) value(path, rule string, v reflect.Value) {
	form, optional := strings.CutPrefix(rule, "?")
	name, args, _ := strings.Cut(form, " ")
	switch {
	case isList(v):
		for i := range v.Len() {
			f.section(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case rule == "" || optional && v.IsZero():
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			f.value(fmt.Sprintf("%s[%d]", path, i), rule, v.Index(i))
		}
	case v.Kind() == reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), byText) {
			element := reflect.New(v.Type().Elem()).Elem()
			element.Set(v.MapIndex(key))
			f.value(path+"."+key.String(), rule, element)
			v.SetMapIndex(key, element)
		}
	case name == "in":
		f.oneOf(path, v.String(), strings.Fields(args)...)
	case name == "resource":
		f.oneOf(path, v.String(), append(mapping.Resources(), strings.Fields(args)...)...)
	case name == "range":
		f.between(path, v, strings.Fields(args))
	case name == "positive":
		f.check(v.Int() > 0, path, "must be more than 0, but is %v", v)
	default:
		f.text(path, name, v)
	}
}

func byText(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }

// between checks that a number or a duration is within bounds. A value without an upper bound must not be
// negative.
func (f *faults) between(path string, v reflect.Value, bounds []string) {
	var limits []int64
	for _, text := range bounds {
		limit := reflect.New(v.Type()).Elem()
		if err := setText(limit, text); err != nil {
			panic("BUG: the rule of " + path + ": " + err.Error())
		}
		limits = append(limits, limit.Int())
	}
	if len(limits) == 1 {
		f.check(v.Int() >= limits[0], path, "must not be negative, but is %v", v)
		return
	}
	f.check(limits[0] <= v.Int() && v.Int() <= limits[1], path, "must be from %s to %s, but is %v", bounds[0], bounds[1], v)
}

// text removes the slashes at the end of a URL, and checks a text by the name of a form. No problem
// quotes a secret, or a URL, which may have a password.
func (f *faults) text(path, name string, v reflect.Value) {
	text := v.String()
	quoted := true
	if secret, ok := v.Interface().(Secret); ok {
		text = secret.Reveal()
		quoted = false
	}
	p, ok := patterns[name]
	switch {
	case ok && quoted:
		f.check(p.form.MatchString(text), path, "%q %s", text, p.problem)
	case ok:
		f.check(p.form.MatchString(text), path, "%s", p.problem)
	case name == "address":
		f.check(isAddress(text), path, "%q is not an address such as 127.0.0.1:8080", text)
	case name == "url":
		v.SetString(strings.TrimRight(text, "/"))
		problem := URLProblem(v.String())
		f.check(problem == "", path, "%s", problem)
	case name == "root":
		v.SetString(siteurl.Root(text))
		problem := rootProblem(v.String())
		f.check(problem == "", path, "%s", problem)
	default:
		panic("BUG: no rule " + name)
	}
}

// patterns are the forms of texts by rule, with the fault to report of another text.
var patterns = map[string]struct {
	form    *regexp.Regexp
	problem string
}{
	"basic":    {regexp.MustCompile(`^[ -9;-~]+:[^\x00-\x1f\x7f]+$`), "must be user:password, without control characters"},
	"cookie":   {regexp.MustCompile("^[!#$%&'+.^_`|~0-9A-Za-z-]+[*]?$|^[*]$"), "is neither a name of a cookie nor a prefix followed by *"},
	"field":    {regexp.MustCompile("^[A-Za-z0-9!#$%&'+.^_`|~-]+$"), "is no name of a header field"}, // RFC 9110, 5.1; a * would allow any
	"host":     {hostPattern, "is not a host such as www.example.org or www.example.org:8443"},
	"hostname": {regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`), "is not a host name without a port"},
	"keys":     {regexp.MustCompile(`^[A-Za-z0-9_-]{0,16}$`), "is not made of at most 16 letters, digits, - and _"},
	"origin": {regexp.MustCompile(`^(\*|[a-z][a-z0-9+.-]*://(\*\.)?([a-z0-9-]+\.)*[a-z0-9-]+(:[0-9]+)?` +
		`|https?://\[[0-9a-f:]+\](:[0-9]+)?)$`),
		"is neither * nor an origin such as https://www.example.org or https://*.example.org"},
	"param":     {regexp.MustCompile(`^[a-z_][a-z0-9_]*$`), "is neither empty nor a name of a-z, 0-9 and _"},
	"path":      {rootPattern, "is neither empty nor a path such as /es/wp-json: segments of letters, digits, - . _ ~, no slash at its end"},
	"prefix":    {regexp.MustCompile(`^[A-Za-z0-9_.-]+$`), "is not made of letters, digits, - . and _"},
	"printable": {regexp.MustCompile(`^[ -~]+$`), "must be printable ASCII"},
	"secret32":  {regexp.MustCompile(`^[!-~]{32,}$`), "must have at least 32 ASCII characters, without spaces"},
	"site":      {regexp.MustCompile(`^[a-z0-9-]+$`), "is neither empty nor made of a-z, 0-9 and -"},
	"name":      {regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`), "is not made of at most 32 of a-z, 0-9 and -"},
	"tell":      {regexp.MustCompile(`^[A-Za-z0-9_-]*$`), "is neither empty nor made of letters, digits, - and _"},
	"token":     {regexp.MustCompile(`^[!-~]{16,}$`), "must have at least 16 ASCII characters, without spaces"},
}

var (
	hostPattern = regexp.MustCompile(`^([A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

	// rootPattern has no segments of one or two dots, which clients remove.
	rootPattern = regexp.MustCompile(`^(/(\.{0,2}[A-Za-z0-9_~-]|\.{3})[A-Za-z0-9._~-]*)*$`)
)

// isAddress requires a numeric port: names of services depend on the machine.
func isAddress(text string) bool {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// rootProblem is like [URLProblem] for a REST root, which may end with the parameter of plain permalinks.
func rootProblem(raw string) string {
	if siteurl.IsPlain(raw) {
		raw, _ = tribe.Dialect.SplitRoot(raw)
	}
	problem := URLProblem(raw)
	if problem == queryProblem {
		problem += ", except ?rest_route=/ at the end"
	}
	return problem
}

const queryProblem = "must have no query and no fragment"

// URLProblem returns why raw is not an absolute http or https URL to which a path can
// be appended; "" for such a URL. The reason quotes neither raw nor the error of url.Parse, which quotes raw.
func URLProblem(raw string) string {
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return "is required"
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "is not an absolute http or https URL"
	case u.User != nil:
		return "must not contain a user or password, because URLs are logged"
	case strings.ContainsAny(raw, "?#"):
		return queryProblem
	case !strings.HasSuffix(raw, u.EscapedPath()):
		return "must have its path percent-encoded"
	case u.Path != "" && path.Clean(u.Path) != u.Path || u.Path == "/":
		return "must have no empty or dot segments in its path, and no slash at its end"
	case strings.ContainsFunc(siteurl.ASCIIHost(raw), func(r rune) bool { return r >= 0x7f }):
		return "has a host that is no domain name"
	}
	return ""
}
