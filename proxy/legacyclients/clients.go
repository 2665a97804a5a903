package legacyclients

import (
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// Options configure the legacy's namespace at the facade.
type Options struct {
	Names mapping.Backend // of the legacy: its namespace and language parameter

	Deprecated time.Time // sent in Deprecation; zero sends none
	Sunset     time.Time // sent in Sunset; zero sends none

	Off       []string   // resources that are switched off; [All] is every request
	Brownouts []Brownout // times at which more resources are switched off
}

// Clients serve the legacy's namespace. A nil pointer serves none.
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
	return c.Names.Place()
}

// IsOff reports whether a request for a resource ("" for none) is refused now.
func (c *Clients) IsOff(now time.Time, resource string) bool {
	if refers(c.Off, resource) {
		return true
	}
	for i := range c.Brownouts {
		b := &c.Brownouts[i]
		if b.at(now) && (len(b.Resources) == 0 || refers(b.Resources, resource)) && c.refuses(i, uint64(b.Percent)) {
			return true
		}
	}
	return false
}

// refuses counts a request during a brownout, and reports whether it is one of those that the
// brownout refuses: exactly percent of 100 requests in a row, evenly spread.
func (c *Clients) refuses(brownout int, percent uint64) bool {
	n := c.counts[brownout].Add(1)
	return n*percent/100 != (n-1)*percent/100
}

// All, in a list of resources, stands for every request, including those for no resource.
const All = "all"

// Brownout is a time during which some requests are refused, so that the owners of clients
// notice before the namespace is switched off.
type Brownout struct {
	From, To  time.Time     // zero: no bound
	DayFrom   time.Duration // beginning on each day, since midnight UTC
	DayTo     time.Duration // end, likewise; equal to DayFrom: the whole day; before it: overnight
	Percent   int           // of requests that are refused, 1 to 100
	Resources []string      // nil: all requests
}

func refers(resources []string, resource string) bool {
	return slices.Contains(resources, All) || resource != "" && slices.Contains(resources, resource)
}

// at reports whether now is during the brownout.
func (b *Brownout) at(now time.Time) bool {
	if !b.From.IsZero() && now.Before(b.From) || !b.To.IsZero() && !now.Before(b.To) {
		return false
	}
	now = now.UTC()
	day := now.Sub(now.Truncate(24 * time.Hour))
	switch {
	case b.DayFrom == b.DayTo:
		return true
	case b.DayFrom < b.DayTo:
		return b.DayFrom <= day && day < b.DayTo
	}
	return b.DayFrom <= day || day < b.DayTo
}

// Announce sets the header fields that every response has: the root of the REST interface, as
// WordPress does; the dates at which the namespace is deprecated and switched off; and the
// neutral URL of the same resource.
func (c *Clients) Announce(h http.Header, root, successor string) {
	h["Link"] = []string{"<" + root + `/>; rel="https://api.w.org/"`, "<" + successor + `>; rel="successor-version"`}
	if at := c.Deprecated; !at.IsZero() {
		h["Deprecation"] = []string{"@" + strconv.FormatInt(at.Unix(), 10)} // RFC 9745
	}
	if at := c.Sunset; !at.IsZero() {
		h["Sunset"] = []string{at.UTC().Format(http.TimeFormat)} // RFC 8594
	}
}

// families classifies clients by what their User-Agent contains. The first match counts: browsers
// also contain the names of other browsers, and apps the name of their library. A family is its name,
// or after a colon what stands for it.
var families = []string{
	"googlebot", "bingbot", "bot", "bot:crawl", "bot:spider", "wordpress", "guzzle", "php:symfony", "php",
	"python", "python:aiohttp", "python:httpx", "node:axios", "node", "node:undici", "okhttp", "android:dalvik",
	"apple:cfnetwork", "apple:alamofire", "dart", "go:go-http-client", "java", "java:apache-httpclient",
	"ruby", "ruby:faraday", "microsoft:powerautomate", "microsoft:azure", "zapier", "postman", "curl", "wget",
	"edge:edg", "firefox", "chrome", "safari",
}

// The families of other clients.
const (
	OtherFamily = "other"
	NoFamily    = "none" // without a User-Agent
)

// Family returns the family of a client, one of a bounded set.
func Family(userAgent string) string {
	if userAgent == "" {
		return NoFamily
	}
	const most = 512
	lower := strings.ToLower(userAgent[:min(len(userAgent), most)])
	for _, f := range families {
		family, part, named := strings.Cut(f, ":")
		if !named {
			part = family
		}
		if strings.Contains(lower, part) {
			return family
		}
	}
	return OtherFamily
}

// Prefix returns the network of an address, which identifies no person: /24 of IPv4, /48 of
// IPv6; "" without an address.
func Prefix(address netip.Addr) string {
	address = address.Unmap()
	bits := 48
	if address.Is4() {
		bits = 24
	}
	prefix, err := address.Prefix(bits)
	if err != nil || !prefix.IsValid() {
		return ""
	}
	return prefix.String()
}
