package config

import (
	"strings"
	"testing"
)

// TestProxyVariables: a proxy that net/http would ignore is an error, which does not show its password.
func TestProxyVariables(t *testing.T) {
	for value, ok := range map[string]bool{
		"": true, "proxy:3128": true, "http://proxy.example.org:3128": true, "socks5://proxy:1080": true,
		"http://user:hunter%252@proxy:3128": true, "http://user:hunter%@proxy:3128": false, "http://user:hunter#2@proxy:3128": false,
	} {
		for _, name := range proxyVariables {
			err := checkProxies([]string{name + "=" + value})
			if (err == nil) != ok || err != nil && (strings.Contains(err.Error(), "hunter") || !strings.HasPrefix(err.Error(), name+": ")) {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
	}
	if _, err := Parse("test", nil, []string{"HTTP_PROXY=%"}); err == nil || !strings.HasPrefix(err.Error(), "HTTP_PROXY: ") {
		t.Errorf("a configuration with it: %v", err)
	}
	_, err := Parse("test", nil, []string{"HTTP_PROXY=%", "CALFACADE_UNKNOWN=1"})
	if err == nil || !strings.Contains(err.Error(), "CALFACADE_UNKNOWN: ") || !strings.Contains(err.Error(), "HTTP_PROXY: ") {
		t.Errorf("a configuration with it and an unknown variable: %v", err)
	}
}
