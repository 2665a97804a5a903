package cache

import "testing"

// openStore opens a Redis and closes it with the test.
func openStore(t testing.TB, o RedisOptions) *Redis {
	t.Helper()
	r, err := OpenRedis(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}
