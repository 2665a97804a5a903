package config

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxyVariables name the proxy for calls. net/http ignores one that it cannot parse.
var proxyVariables = []string{"HTTPS_PROXY", "HTTP_PROXY", "http_proxy", "https_proxy"}

// checkProxies returns which variables are ignored. It does not quote them: they may hold a password.
func checkProxies(env []string) error {
	var f faults
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		if value == "" || !slices.Contains(proxyVariables, name) {
			continue
		}
		used, _ := (&httpproxy.Config{HTTPProxy: value}).ProxyFunc()(&url.URL{Scheme: "http", Host: "site.invalid"})
		readTwice := used != nil && strings.HasPrefix(used.Path, "//") // a URL that was read as a host
		f.check(used != nil && !readTwice, name,
			"is not a URL such as http://user:password@proxy.example.org:3128: special characters of a password must be percent-encoded")
	}
	return errors.Join(f...)
}
