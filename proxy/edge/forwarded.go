package edge

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Trust lists the proxies that name the client of a request. The zero value trusts none, and
// the client is the address of the connection.
type Trust struct {
	Proxies   []netip.Prefix
	Forwarded bool // they write Forwarded (RFC 7239), and not X-Forwarded-For
}

// believes reports whether a is a trusted proxy. What connects by a Unix socket is one: the
// operator decides who may open the file.
func (t Trust) believes(a netip.Addr) bool {
	return !a.IsValid() || slices.ContainsFunc(t.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// address returns the address that a request came from: the connection's, or the one
// that the nearest trusted proxies name. It reads one of the two fields only: a proxy that
// writes one forwards the other as the client invented it.
func (t Trust) address(r *http.Request) netip.Addr {
	at := peer(r)
	if !t.believes(at) {
		return at
	}
	for hop := range t.hops(r.Header) {
		if !hop.IsValid() {
			break // invented or hidden: the last known proxy stands for it
		}
		if at = hop; !t.believes(at) {
			break
		}
	}
	return at
}

// NeedsHeader reports whether the client depends on more than the address of the connection.
func (t Trust) NeedsHeader(r *http.Request) bool {
	return len(t.Proxies) > 0 || strings.IndexByte(r.RemoteAddr, ':') < 0
}

// unknownClient stands for all clients that connect by something else than IP.
var unknownClient = netip.IPv4Unspecified()

// Client returns the client of a request, for limits: an IPv4 address or an IPv6 /64.
func (t Trust) Client(r *http.Request) netip.Addr {
	at := t.address(r)
	if !at.IsValid() {
		return unknownClient
	}
	return clientPrefix(at)
}

// Name returns the address of the client, for the log.
func (t Trust) Name(r *http.Request) string {
	if !t.NeedsHeader(r) {
		return hostOf(r.RemoteAddr)
	}
	if at := t.address(r); at.IsValid() {
		return at.String()
	}
	return hostOf(r.RemoteAddr)
}

// peer returns the address that connected. It is not valid unless it is an IP address.
func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// hops returns the addresses that proxies wrote, the nearest first.
func (t Trust) hops(h http.Header) func(yield func(netip.Addr) bool) {
	lines, last, read := h["X-Forwarded-For"], strings.LastIndexByte, func(element string) string { return element }
	if t.Forwarded {
		lines, last, read = h["Forwarded"], lastUnquoted, forwardedFor
	}
	return func(yield func(netip.Addr) bool) {
		for element := range backwards(lines, last) {
			if !yield(hopAddress(read(element))) {
				return
			}
		}
	}
}

// backwards returns the elements of a list from its end, so that the ones of trusted proxies come
// first, without reading all that a client sent. last finds the comma before the last element.
func backwards(lines []string, last func(line string, separator byte) int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, line := range slices.Backward(lines) {
			for more := true; more; {
				comma := last(line, ',')
				if !yield(strings.TrimSpace(line[comma+1:])) {
					return
				}
				more, line = comma >= 0, line[:max(comma, 0)]
			}
		}
	}
}

// lastUnquoted returns the index of the last separator outside of quoted strings, or -1. It reads from
// the end: a quote that a client left open does not reach the element of the proxy behind it.
func lastUnquoted(line string, separator byte) int {
	quoted := false
	for i := len(line) - 1; i >= 0; i-- {
		switch {
		case line[i] == '"' && !(quoted && endsInEscape(line[:i])):
			quoted = !quoted
		case line[i] == separator && !quoted:
			return i
		}
	}
	return -1
}

func endsInEscape(s string) bool { return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1 }

// forwardedFor returns the value of for in an element of Forwarded, the first one. No
// address has an escape, so it is enough to strip quotes.
func forwardedFor(element string) (value string) {
	for pair := range backwards([]string{element}, func(pairs string, _ byte) int { return lastUnquoted(pairs, ';') }) {
		if key, text, _ := strings.Cut(pair, "="); strings.EqualFold(strings.TrimSpace(key), "for") {
			value = strings.Trim(strings.TrimSpace(text), `"`)
		}
	}
	return value
}

// hopAddress reads an address with or without brackets and port.
func hopAddress(s string) netip.Addr {
	if at, err := netip.ParseAddrPort(s); err == nil {
		return at.Addr().Unmap().WithZone("")
	}
	at, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	if err != nil {
		return netip.Addr{}
	}
	return at.Unmap().WithZone("")
}

// clientPrefix returns the client that an address belongs to: itself, or for IPv6 its /64, within
// which one subscriber can use another address each time.
func clientPrefix(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	network, err := a.Prefix(64)
	if err != nil {
		panic("BUG: an IPv6 address has 64 bits: " + err.Error())
	}
	return network.Addr()
}

// hostOf returns an address without its port.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}
