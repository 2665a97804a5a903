package config

import (
	"fmt"
	"net/netip"
)

// Wider networks cannot be private: fc00::/7 is the widest private one.
const (
	widestIPv4 = 8
	widestIPv6 = 7
)

func (f *faults) proxies(list []string) {
	for i, s := range list {
		key := fmt.Sprintf("trusted_proxies[%d]", i)
		p, err := parseProxy(s)
		f.check(err == nil, key, "%q is not an address or a network such as 10.0.0.0/8", s)
		f.check(err != nil || !p.Addr().Is4In6(), key, "%s is an IPv4 network in IPv6 form: write it as IPv4", s)
		tooWide := err == nil && (p.Addr().Is4() && p.Bits() < widestIPv4 || p.Addr().Is6() && p.Bits() < widestIPv6)
		f.check(!tooWide, key, "%s is too wide: it includes public addresses, which could claim any client address", s)
	}
}

func parseProxy(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	return netip.ParsePrefix(s)
}

// Trusted returns the networks of TrustedProxies of a valid configuration.
func (c Config) Trusted() []netip.Prefix {
	var all []netip.Prefix
	for _, s := range c.TrustedProxies {
		p, err := parseProxy(s)
		if err != nil {
			panic("BUG: the proxies were validated: " + err.Error())
		}
		all = append(all, p)
	}
	return all
}
