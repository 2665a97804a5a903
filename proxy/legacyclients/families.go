package legacyclients

import (
	"net/netip"
	"strings"
)

// families classifies clients by what their User-Agent contains. The first match counts:
// browsers also contain the names of other browsers, and apps that of their library.
var families = []struct{ contains, family string }{
	{"googlebot", "googlebot"},
	{"bingbot", "bingbot"},
	{"bot", "bot"},
	{"crawl", "bot"},
	{"spider", "bot"},
	{"wordpress", "wordpress"},
	{"guzzle", "guzzle"},
	{"symfony", "php"},
	{"php", "php"},
	{"python", "python"},
	{"aiohttp", "python"},
	{"httpx", "python"},
	{"axios", "node"},
	{"node", "node"},
	{"undici", "node"},
	{"okhttp", "okhttp"},
	{"dalvik", "android"},
	{"cfnetwork", "apple"},
	{"alamofire", "apple"},
	{"dart", "dart"},
	{"go-http-client", "go"},
	{"java", "java"},
	{"apache-httpclient", "java"},
	{"ruby", "ruby"},
	{"faraday", "ruby"},
	{"powerautomate", "microsoft"},
	{"azure", "microsoft"},
	{"zapier", "zapier"},
	{"postman", "postman"},
	{"curl", "curl"},
	{"wget", "wget"},
	{"edg", "edge"},
	{"firefox", "firefox"},
	{"chrome", "chrome"},
	{"safari", "safari"},
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
		if strings.Contains(lower, f.contains) {
			return f.family
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
