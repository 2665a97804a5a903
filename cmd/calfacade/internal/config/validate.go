package config

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// Validate returns all problems, joined. Each begins with the path of its key, such as
// "languages[1].root: ". It quotes no URL, since that may hold a password.
func (c Config) Validate() error {
	var f faults
	f.address("listen", c.Listen)
	f.adminListen(c.AdminListen, c.Admin.Token.Reveal() != "")
	f.url("public_url", c.PublicURL)
	f.languages(c.Languages, c.Upstream.LanguageParam)
	f.upstream(c.Upstream)
	f.oneHost(c.Upstream.Host, c.Languages)
	if c.Rewrite.Site != "" {
		f.url("rewrite.site", c.Rewrite.Site)
	}
	f.backends(c.Backends, c.Codes(), c.Upstream.AllowPlainHTTP)
	f.staging(c)
	f.legacyClients(c)
	f.cache(c.Cache)
	f.edge(c.Edge)
	f.tokens(c.Admin, c.Cache, c.Staging.TesterToken)
	f.limits(c.Limits)
	f.modes(c)
	f.proxies(c.TrustedProxies)
	f.tls(c.TLS)
	f.cors(c.CORS)
	f.encryptedCalls(c.Languages, c.Upstream.AllowPlainHTTP)
	f.oneOf("unknown_params", c.UnknownParams, "drop", "reject")
	f.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	f.oneOf("log.format", c.Log.Format, "auto", "json", "console")
	f.oneOf("log.requests", c.Log.Requests, "all", "errors", "none")
	f.notNegative("watch_interval", c.WatchInterval)
	f.notNegative("drain_delay", c.DrainDelay)
	f.notNegative("shutdown_timeout", c.ShutdownTimeout)
	return errors.Join(f...)
}

// modes checks the keys that select how requests are treated.
func (f *faults) modes(c Config) {
	f.oneOf("mode", c.Mode, "read_write", "read_only")
	f.oneOf("writes", c.Writes, "any", "need_credentials")
	f.oneOf("updates", c.Updates, "merge", "as_is")
	f.oneOf("update_handling", c.UpdateHandling, "lenient", "strict")
	f.oneOf("forwarded_header", c.ForwardedHeader, "x-forwarded-for", "forwarded")
}

// Warnings returns the risks of a valid configuration.
func (c Config) Warnings() []string {
	var all []string
	if file := c.TLS.KeyFile; file != "" {
		if info, err := os.Stat(file); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
			all = append(all, fmt.Sprintf("tls.key_file: every user of this machine may read %s (%s)", file, info.Mode().Perm()))
		}
	}
	if c.Upstream.AllowPlainHTTP {
		for i, l := range c.Languages {
			if inTheClear(l.Upstream) {
				all = append(all, fmt.Sprintf("languages[%d].upstream: passwords pass the network unencrypted", i))
			}
		}
	}
	return append(append(all, c.Edge.warnings(c.Cache)...), c.purgeWarnings()...)
}
