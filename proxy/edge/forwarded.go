package edge

import (
	"iter"
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
	at := addressOf(r.RemoteAddr)
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

// hops returns the addresses that proxies wrote, the nearest first.
func (t Trust) hops(h http.Header) iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		lines := h["X-Forwarded-For"]
		if t.Forwarded {
			lines = h["Forwarded"]
		}
		for _, line := range slices.Backward(lines) {
			for element := range backwards(line, ',') {
				if t.Forwarded {
					element = forwardedFor(element)
				}
				if !yield(addressOf(element)) {
					return
				}
			}
		}
	}
}

// backwards returns the elements of a list from its end, so that the ones of trusted proxies come
// first, without reading all that a client sent: a quote that it left open does not reach the element
// of the proxy behind it.
func backwards(line string, separator byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := true; more; {
			last := lastUnquoted(line, separator)
			if !yield(strings.TrimSpace(line[last+1:])) {
				return
			}
			more, line = last >= 0, line[:max(last, 0)]
		}
	}
}

// lastUnquoted returns the index of the last separator outside of quoted strings, or -1.
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
	for pair := range backwards(element, ';') {
		if key, text, _ := strings.Cut(pair, "="); strings.EqualFold(strings.TrimSpace(key), "for") {
			value = strings.Trim(strings.TrimSpace(text), `"`)
		}
	}
	return value
}

// addressOf reads an IP address with or without brackets and port; the zero address for another text.
func addressOf(s string) netip.Addr {
	with, err := netip.ParseAddrPort(s)
	at := with.Addr()
	if err != nil {
		at, _ = netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")) // else the zero address
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
