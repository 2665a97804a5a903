package main

import (
	_ "time/tzdata" // the zones that clients and sites name, where the machine has none

	_ "golang.org/x/crypto/x509roots/fallback" // the same for the certificates of CAs
)
