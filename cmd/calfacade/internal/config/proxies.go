package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// Wider networks cannot be private: fc00::/7 is the widest private one.
const (
	widestIPv4 = 8
	widestIPv6 = 7
)

func (f *faults) proxies(list []netip.Prefix) {
	for i, p := range list {
		key := fmt.Sprintf("trusted_proxies[%d]", i)
		f.check(!p.Addr().Is4In6(), key, "%s is an IPv4 network in IPv6 form: write it as IPv4", p)
		tooWide := p.Addr().Is4() && p.Bits() < widestIPv4 || p.Addr().Is6() && p.Bits() < widestIPv6
		f.check(!tooWide, key, "%s is too wide: it includes public addresses, which could claim any client address", p)
	}
}

// proxyVariables name the proxy for calls. net/http ignores a value that does not parse.
var proxyVariables = []string{"HTTPS_PROXY", "HTTP_PROXY", "http_proxy", "https_proxy"}

// checkProxies returns which variables are ignored, without the values: they may hold a password.
func checkProxies(env []string) error {
	var f faults
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		if value == "" || !slices.Contains(proxyVariables, name) {
			continue
		}
		used, _ := (&httpproxy.Config{HTTPProxy: value}).ProxyFunc()(&url.URL{Scheme: "http", Host: "site.invalid"})
		readTwice := used != nil && strings.HasPrefix(used.Path, "//") // a URL that was read as a host
		f.check(used != nil && !readTwice, name,
			"is not a URL such as http://user:password@proxy.example.org:3128: special characters of a password must be percent-encoded")
	}
	return errors.Join(f...)
}
