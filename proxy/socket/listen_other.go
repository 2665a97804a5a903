//go:build !linux

package socket

import "net"

func open(c net.Conn) (net.Conn, error) { return c, nil }
