package edge

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Trust lists the proxies that name the client of a request, in X-Forwarded-For. The zero value trusts
// no proxy, and the client is the address of the connection.
type Trust struct{ Proxies []netip.Prefix }

// believes reports whether a is a trusted proxy. A peer on a Unix socket is trusted: the
// operator decides who may open the file.
func (t Trust) believes(a netip.Addr) bool {
	return !a.IsValid() || slices.ContainsFunc(t.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Address returns the address that a request came from: the connection's, or the address that the nearest
// trusted proxies name. The list is read from the end, up to the first address that is no trusted proxy: a client
// may have sent the elements before. The address is zero for a connection without IP.
func (t Trust) Address(r *http.Request) netip.Addr {
	address := addressOf(r.RemoteAddr)
	list := strings.Join(r.Header["X-Forwarded-For"], ",")
	for list != "" && t.believes(address) {
		last := strings.LastIndexByte(list, ',')
		hop := addressOf(strings.TrimSpace(list[last+1:]))
		if !hop.IsValid() {
			break // invented or hidden: the last known proxy stands for the client
		}
		address = hop
		list = list[:max(last, 0)]
	}
	return address
}

// NeedsHeader reports whether the client depends on more than the address of the connection.
func (t Trust) NeedsHeader(r *http.Request) bool {
	return len(t.Proxies) > 0 || strings.IndexByte(r.RemoteAddr, ':') < 0
}

// unknownClient stands for all clients that connect by something else than IP.
var unknownClient = netip.IPv4Unspecified()

// Client returns the client of a request, for limits: an IPv4 address or an IPv6 /64.
func (t Trust) Client(r *http.Request) netip.Addr {
	address := t.Address(r)
	if !address.IsValid() {
		return unknownClient
	}
	return clientPrefix(address)
}

// Name returns the address of the client, for the log. A connection without an IP address has another name.
func (t Trust) Name(r *http.Request) string {
	address := t.Address(r)
	if address.IsValid() {
		return address.String()
	}
	return r.RemoteAddr
}

// addressOf reads an IP address with or without brackets and port; the zero address for another text.
func addressOf(s string) netip.Addr {
	addrPort, err := netip.ParseAddrPort(s)
	addr := addrPort.Addr()
	if err != nil {
		addr, _ = netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")) // else the zero address
	}
	return addr.Unmap().WithZone("")
}

// clientPrefix returns the client that an address belongs to: the address, or the /64 of an IPv6 address. One
// subscriber can use any address of a /64.
func clientPrefix(a netip.Addr) netip.Addr {
	if a.Is6() {
		return netip.PrefixFrom(a, 64).Masked().Addr()
	}
	return a
}
