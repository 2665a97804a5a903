package config

import (
	"errors"
	"fmt"
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
	file := c.TLS.KeyFile
	if file != "" {
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

// purgeWarnings returns the risks of valid targets.
func (c Config) purgeWarnings() (warnings []string) {
	for i, t := range c.Edge.Purge {
		if t.Token.Reveal() != "" && inTheClear(t.URL) {
			warnings = append(warnings, fmt.Sprintf("edge.purge[%d].url: the token passes the network unencrypted", i))
		}
	}
	if len(c.Edge.Purge) > 0 && len(c.Cache.Redis) == 0 {
		warnings = append(warnings, "edge.purge: without cache.redis purges wait in memory, each instance sends its own, and a start purges "+
			"everything in front")
	}
	return warnings
}
