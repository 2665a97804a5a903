package config

import (
	"encoding"
	"errors"
	"fmt"
	"iter"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Validate returns all problems, joined. Each begins with the path of its key, such as
// "languages[1].root: ". It quotes no URL, since that may hold a password.
func (c Config) Validate() error {
	var f faults
	f.address("listen", c.Listen)
	f.adminListen(c.AdminListen, c.Admin.Token.Reveal() != "")
	f.url("public_url", c.PublicURL)
	f.languages(c.Languages, c.Upstream.LanguageParam)
	f.upstream(c.Upstream)
	f.oneHost(c.Upstream.Host, c.Languages)
	if c.Rewrite.Site != "" {
		f.url("rewrite.site", c.Rewrite.Site)
	}
	f.backends(c.Backends, c.Codes(), c.Upstream.AllowPlainHTTP)
	f.staging(c)
	f.legacyClients(c)
	f.cache(c.Cache)
	f.edge(c.Edge)
	f.tokens(c.Admin, c.Cache, c.Staging.TesterToken)
	f.limits(c.Limits)
	f.modes(c)
	f.proxies(c.TrustedProxies)
	f.tls(c.TLS)
	f.cors(c.CORS)
	f.encryptedCalls(c.Languages, c.Upstream.AllowPlainHTTP)
	f.oneOf("unknown_params", c.UnknownParams, "drop", "report", "reject")
	f.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	f.oneOf("log.format", c.Log.Format, "auto", "json", "console")
	f.oneOf("log.requests", c.Log.Requests, "all", "errors", "none")
	f.oneOf("log.client", c.Log.Client, "full", "network", "none")
	f.notNegative("watch_interval", c.WatchInterval)
	f.notNegative("drain_delay", c.DrainDelay)
	f.notNegative("shutdown_timeout", c.ShutdownTimeout)
	return errors.Join(f...)
}

// modes checks the keys that select how requests are treated.
func (f *faults) modes(c Config) {
	f.oneOf("mode", c.Mode, "read_write", "read_only")
	f.oneOf("writes", c.Writes, "any", "need_credentials")
	f.oneOf("updates", c.Updates, "merge", "as_is")
	f.oneOf("forwarded_header", c.ForwardedHeader, "x-forwarded-for", "forwarded")
}

// Warnings returns the risks of a valid configuration.
func (c Config) Warnings() []string {
	var all []string
	if file := c.TLS.KeyFile; file != "" {
		if info, err := os.Stat(file); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
			all = append(all, fmt.Sprintf("tls.key_file: every user of this machine may read %s (%s)", file, info.Mode().Perm()))
		}
	}
	if c.Upstream.AllowPlainHTTP {
		for i, l := range c.Languages {
			if inTheClear(l.Upstream) {
				all = append(all, fmt.Sprintf("languages[%d].upstream: passwords pass the network unencrypted", i))
			}
		}
	}
	return append(append(all, c.Edge.warnings(c.Cache)...), c.purgeWarnings()...)
}

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

func positive[T ~int | ~int64](f *faults, key string, value T) {
	f.check(value > 0, key, "must be more than 0, but is %v", value)
}

// address requires a numeric port: names of services depend on the machine.
func (f *faults) address(key, addr string) {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	f.check(err == nil, key, "%q is not an address such as 127.0.0.1:8080", addr)
}

func (f *faults) notNegative(key string, d time.Duration) {
	f.check(d >= 0, key, "must not be negative, but is %s", d)
}

func (f *faults) between(key string, value, minimum, maximum int) {
	f.check(minimum <= value && value <= maximum, key, "must be %d to %d, but is %d", minimum, maximum, value)
}

// keyValue is one key of the configuration, with its value.
type keyValue struct {
	path  string        // such as upstream.timeout
	value reflect.Value // its value, which can be set
}

// keyValues yields the keys of a section, which is a pointer to a struct, in their
// order, without the sections themselves. A list of mappings is one key: keyValues of
// an element yields its keys.
func keyValues(path string, section any) iter.Seq[keyValue] {
	return func(yield func(keyValue) bool) { walkKeys(path, reflect.ValueOf(section).Elem(), yield) }
}

func walkKeys(path string, section reflect.Value, yield func(keyValue) bool) bool {
	for key, value := range fieldsOf(section) {
		name := strings.TrimPrefix(path+"."+key, ".")
		if isSection(value) {
			if !walkKeys(name, value, yield) {
				return false
			}
		} else if !yield(keyValue{name, value}) {
			return false
		}
	}
	return true
}

// fieldsOf yields the names and fields of the keys of a section. The keys of an inlined struct are the
// section's own.
func fieldsOf(section reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for field, value := range section.Fields() {
			switch name, options, _ := strings.Cut(field.Tag.Get("yaml"), ","); {
			case options == "inline":
				for name, value := range fieldsOf(value) {
					if !yield(name, value) {
						return
					}
				}
			case name == "" || name == "-":
			case !yield(name, value):
				return
			}
		}
	}
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

// FileVariable is the variable that names the file of the configuration, and no key.
const FileVariable = envPrefix + "CONFIG"

// variable returns the name of the variable of a key.
func variable(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// url checks that raw is an absolute URL to which a path can be appended. Its errors
// quote neither raw nor the error of url.Parse, which quotes raw.
func (f *faults) url(key, raw string) {
	reason := URLProblem(raw)
	f.check(reason == "", key, "%s", reason)
}

// restRoot is like url for a REST root, which may end with the parameter of plain
// permalinks.
func (f *faults) restRoot(key, raw string) {
	if siteurl.IsPlain(raw) {
		raw, _ = mapping.Tribe.SplitRoot(raw)
	}
	reason := URLProblem(raw)
	if reason == queryProblem {
		reason += ", except ?rest_route=/ at the end"
	}
	f.check(reason == "", key, "%s", reason)
}

const queryProblem = "must have no query and no fragment"

// URLProblem returns why raw is not an absolute http or https URL to which a path can
// be appended; "" if it is one.
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

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
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

// Size is a number of bytes, written as 32MiB, 1MB or a plain number.
type Size int64

// UnmarshalText implements [encoding.TextUnmarshaler]. The error quotes the text.
func (s *Size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("%q is not a size such as 32MiB, 1MB or 1048576", text)
	}
	*s = Size(n)
	return nil
}

// shorten turns "8.0 KiB", as humanize writes it, into 8KiB.
var shorten = strings.NewReplacer(" ", "", ".0", "")

// MarshalText writes the short form if it is exact, else the number of bytes, so that
// UnmarshalText returns the same size.
func (s Size) MarshalText() ([]byte, error) {
	if s >= 0 {
		short := shorten.Replace(humanize.IBytes(uint64(s)))
		if n, err := humanize.ParseBytes(short); err == nil && n == uint64(s) {
			return []byte(short), nil
		}
	}
	return strconv.AppendInt(nil, int64(s), 10), nil
}

// similarEnv returns a hint if there is a variable like an unknown one; "" if there is none.
func (c *Config) similarEnv(unknown string) string {
	var names []string
	for k := range keyValues("", c) {
		if err := setText(reflect.New(k.value.Type()).Elem(), ""); !errors.Is(err, errNoText) {
			names = append(names, variable(k.path))
		}
	}
	return Hint(unknown, names)
}

// maxEdits is the maximum number of edits between similar names.
const maxEdits = 2

// Name returns the one of names that is most like an unknown one; "" if none is.
func Name(unknown string, names []string) string {
	best, distance := "", maxEdits+1
	for _, name := range names {
		// Half of a short name is another name.
		if n := edits(unknown, name); n < distance && 2*n < len(name) {
			best, distance = name, n
		}
	}
	return best
}

// Hint returns a question to append to an error; "" if no name is similar.
func Hint(unknown string, names []string) string {
	if best := Name(unknown, names); best != "" {
		return fmt.Sprintf(": did you mean %q?", best)
	}
	return ""
}

// edits returns the number of characters that must be inserted, deleted, replaced or swapped with
// the next one to turn a into b.
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
		for j := 1; j <= len(b); j++ {
			if i == 0 {
				rows[i][j] = j
				continue
			}
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
