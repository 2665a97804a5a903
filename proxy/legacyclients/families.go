package legacyclients

import (
	"net/netip"
	"strings"
)

// families classifies clients by what their User-Agent contains. The first match counts: browsers
// also contain the names of other browsers, and apps that of their library. A family is its name,
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
