package redistest

import (
	"fmt"
	"sync/atomic"
)

var prefixes atomic.Int64

// FreshPrefix returns a prefix of keys that no other test has.
func FreshPrefix() string { return fmt.Sprintf("calfacade-test-%d", prefixes.Add(1)) }
