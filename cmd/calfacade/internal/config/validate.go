package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"runtime"
	"slices"

	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Validate brings URLs to the form that others are appended to or compared with, and returns all problems,
// joined. Each begins with the path of the key, such as "languages[1].root: ", and quotes no URL, since a URL
// may hold a password.
func (c *Config) Validate() error {
	var f faults
	f.section("", reflect.ValueOf(c).Elem())
	c.PublicURL = siteurl.ASCIIHost(c.PublicURL) // for header fields
	f.adminListen(c.AdminListen, c.Admin.Token.Reveal() != "")
	f.languages(c.Languages, c.Upstream)
	f.upstream(c.Upstream)
	f.backends(c.Backends, c.Languages.Codes(), c.Upstream.AllowPlainHTTP)
	f.staging(*c)
	f.legacyClients(*c)
	f.cache(c.Cache)
	f.purgeTargets(c.Edge)
	f.tokens(c.Admin, c.Staging.TesterToken)
	f.proxies(c.TrustedProxies)
	f.check((c.TLS.CertFile == "") == (c.TLS.KeyFile == ""), "tls", "cert_file and key_file are required together")
	f.check(!c.CORS.Credentials || !slices.Contains(c.CORS.Origins, "*"), "cors.credentials",
		"with the origin * any page could use a visitor's credentials: name the origins")
	return errors.Join(f...)
}

// Warnings returns the risks of a valid configuration.
func (c Config) Warnings() []string {
	var warnings []string
	if file := c.TLS.KeyFile; file != "" {
		if info, err := os.Stat(file); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
			warnings = append(warnings, fmt.Sprintf("tls.key_file: every user of this machine may read %s (%s)", file, info.Mode().Perm()))
		}
	}
	if c.Upstream.AllowPlainHTTP {
		for i, l := range c.Languages {
			if inTheClear(l.Upstream) {
				warnings = append(warnings, fmt.Sprintf("languages[%d].upstream: passwords pass the network unencrypted", i))
			}
		}
	}
	return append(warnings, c.purgeWarnings()...)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (f *faults) encrypted(key, url string, plain bool) {
	f.check(plain || !inTheClear(url), key,
		"is http: passwords of clients would pass the network unencrypted; use https, or accept it with upstream.allow_plain_http")
}

// inTheClear reports whether calls to a URL leave the machine unencrypted.
func inTheClear(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Scheme == "http" && u.Hostname() != "" && !isLoopback(u.Hostname())
}
