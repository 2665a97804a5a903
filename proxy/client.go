package proxy

import (
	"context"
	"net/netip"
)

// clientKey is the key of the client in the context of a call: the address that the call
// is made for, or of IPv6 its network of 64 bits. Without a value it is the program itself,
// with refreshes and what commands read.
type clientKey struct{}

func askerOf(ctx context.Context) netip.Addr {
	client, _ := ctx.Value(clientKey{}).(netip.Addr)
	return client
}

// Caller is [cache.Options.Caller] for what a facade caches.
func Caller(ctx context.Context) any { return askerOf(ctx) }
