package upstream

import (
	"context"
	"net/netip"
)

// ClientKey is the key of the client in the context of a call: the address that the call
// is made for, or of IPv6 its network of 64 bits. Without a value it is the program itself,
// with refreshes and what commands read.
type ClientKey struct{}

func ClientOf(ctx context.Context) netip.Addr {
	client, _ := ctx.Value(ClientKey{}).(netip.Addr)
	return client
}
