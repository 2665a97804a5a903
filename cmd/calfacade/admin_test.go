package main

import "testing"

func TestAdminURL(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:9090": "http://127.0.0.1:9090",
		":9090":          "http://127.0.0.1:9090",
		"0.0.0.0:9090":   "http://127.0.0.1:9090",
		"[::]:9090":      "http://[::1]:9090",
		"[::1]:9090":     "http://[::1]:9090",
		"localhost:9090": "http://localhost:9090",
		"10.0.0.1:9090":  "http://10.0.0.1:9090",
	} {
		if got := adminURL(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
