package proxy

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// trust says whose word counts about where a request comes from.
type trust struct {
	proxies  []netip.Prefix
	standard bool // they write Forwarded (RFC 7239), and not X-Forwarded-For
}

// believes reports whether a is a proxy. One that connects by a file is: who may open that
// file is the operator's to say.
func (t trust) believes(a netip.Addr) bool {
	return !a.IsValid() || slices.ContainsFunc(t.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// client gives the address that a request came from: that of the connection, or
// what the nearest trusted proxies say. Only one of the two fields is read: a
// proxy that writes one passes the other on as the client made it up.
func (t trust) client(r *http.Request) netip.Addr {
	at := peer(r)
	if !t.believes(at) {
		return at
	}
	for hop := range t.hops(r.Header) {
		if !hop.IsValid() {
			break // made up, or hidden: the last proxy that is known stands for it
		}
		if at = hop; !t.believes(at) {
			break
		}
	}
	return at
}

// asks reports whether anything but the address of the connection may count.
func (t trust) asks(r *http.Request) bool {
	return len(t.proxies) > 0 || strings.IndexByte(r.RemoteAddr, ':') < 0
}

// unknownAsker is every client that connects by something else than IP.
var unknownAsker = netip.IPv4Unspecified()

// asker returns whom calls for a request count for.
func (t trust) asker(r *http.Request) netip.Addr {
	at := t.client(r)
	if !at.IsValid() {
		return unknownAsker
	}
	return quotaHolder(at)
}

// Asker returns a function that gives the address that limits of a request count for, where
// these proxies are trusted to name it: in Forwarded, or else in X-Forwarded-For.
func Asker(trusted []netip.Prefix, forwarded bool) func(*http.Request) netip.Addr {
	return trust{proxies: trusted, standard: forwarded}.asker
}

// name gives the client as the log shows it.
func (t trust) name(r *http.Request) string {
	if !t.asks(r) {
		return client(r.RemoteAddr)
	}
	if at := t.client(r); at.IsValid() {
		return at.String()
	}
	return client(r.RemoteAddr)
}

// secure reports whether the client's connection is TLS, here or at a trusted proxy.
func (t trust) secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if !t.asks(r) || !t.believes(peer(r)) {
		return false
	}
	if t.standard {
		for element := range backwards(r.Header["Forwarded"]) {
			return strings.EqualFold(forwardedPart(element, "proto"), "https")
		}
		return false
	}
	for proto := range backwards(r.Header["X-Forwarded-Proto"]) {
		return strings.EqualFold(proto, "https")
	}
	return false
}

// peer is the address that connected; not valid for one that is no IP address.
func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// hops gives the addresses that proxies wrote, the nearest first.
func (t trust) hops(h http.Header) func(yield func(netip.Addr) bool) {
	lines, read := h["X-Forwarded-For"], func(element string) string { return element }
	if t.standard {
		lines, read = h["Forwarded"], func(element string) string { return forwardedPart(element, "for") }
	}
	return func(yield func(netip.Addr) bool) {
		for element := range backwards(lines) {
			if !yield(hopAddress(read(element))) {
				return
			}
		}
	}
}

// backwards gives the elements of a list from its end, of which a client's own
// come last, without reading all that a client sent.
func backwards(lines []string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, line := range slices.Backward(lines) {
			for more := true; more; {
				comma := strings.LastIndexByte(line, ',')
				if !yield(strings.TrimSpace(line[comma+1:])) {
					return
				}
				more, line = comma >= 0, line[:max(comma, 0)]
			}
		}
	}
}

// forwardedPart gives the value of one pair of an element of Forwarded. No
// address has a comma or semicolon, so quotes need not be understood but taken off.
func forwardedPart(element, name string) string {
	for pair := range strings.SplitSeq(element, ";") {
		if key, value, _ := strings.Cut(pair, "="); strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
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
