package proxy

import (
	"reflect"
	"testing"
)

// TestExchangeSize: a request allocates its exchange, and hits allocate little else.
func TestExchangeSize(t *testing.T) {
	if size := reflect.TypeFor[exchange]().Size(); size > 256 {
		t.Errorf("an exchange has %d bytes: the next size class of the allocator costs each hit 4 %%", size)
	}
}
