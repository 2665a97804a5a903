package redistest

import (
	"io"
	"testing"
)

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Closing ends the test if err is not nil. Otherwise it closes c with the test.
func Closing[T io.Closer](t testing.TB, c T, err error) T {
	t.Helper()
	Must(t, err)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}
