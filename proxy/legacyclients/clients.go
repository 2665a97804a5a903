package legacyclients

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// Options configure the legacy's namespace at the facade. They are a section of the configuration.
type Options struct {
	Names mapping.API `yaml:"-"` // the legacy's namespace and language parameter

	// Deprecated is the time since which the names are deprecated: a date such as 2027-01-31,
	// or a time such as 2027-01-31T10:00:00Z. Responses have it in the header field Deprecation
	// (RFC 9745). Default empty: they do not have the field.
	Deprecated time.Time `yaml:"deprecated,omitempty"`

	// Sunset is the time at which the names are expected to be refused, as [Options.Deprecated].
	// Responses have it in the header field Sunset (RFC 8594). No request is refused because
	// of it: see [Options.Off]. Default empty: they do not have the field.
	Sunset time.Time `yaml:"sunset,omitempty"`

	// Off are the resources for which requests in the legacy's names are refused with 410:
	// events, venues, organizers, categories, tags, or all. Default empty.
	Off []string `yaml:"off" check:"resource all"`

	// Brownouts are periods in which a share of these requests is refused with 410, so that
	// the owners of clients notice before all of them are refused. Default empty.
	Brownouts []Brownout `yaml:"brownouts"`
}

// Clients serve the legacy's namespace. A nil pointer serves no request.
type Clients struct {
	Options
	counts []atomic.Uint64 // requests during each brownout
}

// New returns the clients of the options; nil for nil.
func New(o *Options) *Clients {
	if o == nil {
		return nil
	}
	return &Clients{Options: *o, counts: make([]atomic.Uint64, len(o.Brownouts))}
}

// Namespace returns the namespace of the legacy; "" for no clients.
func (c *Clients) Namespace() string {
	if c == nil {
		return ""
	}
	return c.Names.Dialect.Namespace
}

// IsOff reports whether a request for a resource ("" without a resource) is refused now. Each call counts as a request
// of the brownouts that refer to the resource.
func (c *Clients) IsOff(now time.Time, resource string) bool {
	if refers(c.Off, resource) {
		return true
	}
	for i := range c.Brownouts {
		b := &c.Brownouts[i]
		if b.covers(now) && (len(b.Resources) == 0 || refers(b.Resources, resource)) && c.refuses(i, uint64(b.Percent)) {
			return true
		}
	}
	return false
}

// refuses counts a request during a brownout, and reports whether the brownout refuses the request: exactly percent
// of 100 requests in a row, evenly spread.
func (c *Clients) refuses(brownout int, percent uint64) bool {
	n := c.counts[brownout].Add(1)
	return n*percent/100 != (n-1)*percent/100
}

// All, in a list of resources, stands for every request, including those for no resource.
const All = "all"

// Brownout is a period in which a share of the requests in the legacy's names is refused.
type Brownout struct {
	// From is the time at which it begins, as [Options.Deprecated]. Default empty: it has
	// begun.
	From time.Time `yaml:"from,omitempty"`

	// To is the time at which it ends. Default empty: it does not end.
	To time.Time `yaml:"to,omitempty"`

	// Daily limits it to these hours of each day in UTC, such as 09:00-10:30 or 23:00-01:00.
	// Default empty: the whole day.
	Daily Hours `yaml:"daily"`

	// Percent is the percentage of requests that is refused, 1 to 100. Default 0, which is an
	// error.
	Percent int `yaml:"percent" check:"range 1 100"`

	// Resources are the resources that it applies to, as [Options.Off]. Default empty: all.
	Resources []string `yaml:"resources" check:"resource all"`
}

// Hours are a period of each day, such as 09:00-10:30, as durations since midnight. A period with To before From is
// overnight; equal times are the whole day.
type Hours struct{ From, To time.Duration }

var errHours = errors.New("no period of the day such as 09:00-10:30")

// UnmarshalText implements [encoding.TextUnmarshaler]; "" is the whole day.
func (h *Hours) UnmarshalText(text []byte) error {
	*h = Hours{}
	if len(text) == 0 {
		return nil
	}
	beginText, endText, _ := strings.Cut(string(text), "-")
	begin, err := time.Parse(ofDay, beginText)
	end, err2 := time.Parse(ofDay, endText)
	if err != nil || err2 != nil || begin.Equal(end) {
		return errHours
	}
	*h = Hours{From: begin.Sub(midnight), To: end.Sub(midnight)}
	return nil
}

// MarshalText implements [encoding.TextMarshaler].
func (h Hours) MarshalText() ([]byte, error) {
	if h.From == h.To {
		return nil, nil
	}
	return []byte(midnight.Add(h.From).Format(ofDay) + "-" + midnight.Add(h.To).Format(ofDay)), nil
}

const ofDay = "15:04"

// midnight is the day of times without a date.
var midnight = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)

func refers(resources []string, resource string) bool {
	return slices.Contains(resources, All) || resource != "" && slices.Contains(resources, resource)
}

// covers reports whether now is during the brownout.
func (b *Brownout) covers(now time.Time) bool {
	if !b.From.IsZero() && now.Before(b.From) || !b.To.IsZero() && !now.Before(b.To) {
		return false
	}
	now = now.UTC()
	day := now.Sub(now.Truncate(24 * time.Hour))
	begun := b.Daily.From <= day
	goesOn := day < b.Daily.To
	if b.Daily.From < b.Daily.To {
		return begun && goesOn
	}
	return begun || goesOn
}

// Announce sets the header fields that every response has: the root of the REST interface, as WordPress does; the
// neutral URL of the same resource; and the dates at which the namespace is deprecated and expected to be refused.
func (c *Clients) Announce(h http.Header, root, successor string) {
	h["Link"] = []string{"<" + root + `/>; rel="https://api.w.org/"`, "<" + successor + `>; rel="successor-version"`}
	date := c.Deprecated
	if !date.IsZero() {
		h["Deprecation"] = []string{"@" + strconv.FormatInt(date.Unix(), 10)} // RFC 9745
	}
	date = c.Sunset
	if !date.IsZero() {
		h["Sunset"] = []string{date.UTC().Format(http.TimeFormat)} // RFC 8594
	}
}

// families classifies clients by words in the User-Agent. The first match counts: browsers also contain the names of
// other browsers, and apps the name of their library. An element is the name of the family, which is also the word,
// or "family:word".
var families = []string{
	"googlebot", "bingbot", "bot", "bot:crawl", "bot:spider", "wordpress", "guzzle", "php:symfony", "php",
	"python", "python:aiohttp", "python:httpx", "node:axios", "node", "node:undici", "okhttp", "android:dalvik",
	"apple:cfnetwork", "apple:alamofire", "dart", "go:go-http-client", "java", "java:apache-httpclient",
	"ruby", "ruby:faraday", "microsoft:powerautomate", "microsoft:azure", "zapier", "postman", "curl", "wget",
	"edge:edg", "firefox", "chrome", "safari",
}

// Family returns the family of a client, one of a bounded set: none without a User-Agent, and other if no family matches.
func Family(userAgent string) string {
	if userAgent == "" {
		return "none"
	}
	const limit = 512
	lower := strings.ToLower(userAgent[:min(len(userAgent), limit)])
	for _, f := range families {
		family, part, named := strings.Cut(f, ":")
		if !named {
			part = family
		}
		if strings.Contains(lower, part) {
			return family
		}
	}
	return "other"
}

// Prefix returns the network of an address, which identifies no person: /24 of IPv4, /48 of
// IPv6; "" without an address.
func Prefix(address netip.Addr) string {
	address = address.Unmap()
	bits := 48
	if address.Is4() {
		bits = 24
	}
	network, _ := address.Prefix(bits)
	if network.IsValid() { // an invalid address has an invalid network
		return network.String()
	}
	return ""
}
