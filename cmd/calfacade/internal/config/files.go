package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// readSecretFiles reads the secrets in files of their own, as container platforms mount
// them.
func (c *Config) readSecretFiles() error {
	var f faults
	f.secretFile("admin.token", c.Admin.TokenFile, len(c.Admin.Token.Reveal()) > 0, func(lines []string) {
		c.Admin.Token = NewSecret(strings.Join(lines, "\n"))
	})
	f.secretFile("admin.purge_token", c.Admin.PurgeTokenFile, c.Admin.PurgeToken.Reveal() != "", func(lines []string) {
		c.Admin.PurgeToken = NewSecret(strings.Join(lines, "\n"))
	})
	f.secretFile("cache.redis", c.Cache.RedisFile, len(c.Cache.Redis) > 0, func(lines []string) {
		c.Cache.Redis = NewSecrets(lines)
	})
	f.secretFile("cache.renew_token", c.Cache.RenewTokenFile, c.Cache.RenewToken.Reveal() != "", func(lines []string) {
		c.Cache.RenewToken = NewSecret(strings.Join(lines, "\n"))
	})
	f.secretFile("staging.tester_token", c.Staging.TesterTokenFile, c.Staging.TesterToken.Reveal() != "", func(lines []string) {
		c.Staging.TesterToken = NewSecret(strings.Join(lines, "\n"))
	})
	f.secretFile("upstream.password", c.Upstream.PasswordFile, c.Upstream.Password.Reveal() != "", func(lines []string) {
		c.Upstream.Password = NewSecret(strings.Join(lines, "\n"))
	})
	f.secretFile("upstream.headers", c.Upstream.HeadersFile, len(c.Upstream.Headers) > 0, func(lines []string) {
		c.Upstream.Headers = NewSecrets(lines)
	})
	c.readTargetSecrets(&f)
	return errors.Join(f...)
}

// secretFile passes the lines of file to set. Errors quote its name, but not its
// content.
func (f *faults) secretFile(key, file string, isSet bool, set func(lines []string)) {
	if file == "" {
		return
	}
	f.check(!isSet, key+"_file", "%s is set as well: use one of the two", key)
	data, err := os.ReadFile(file)
	if err != nil {
		f.check(false, key+"_file", "%v", err)
		return
	}
	text := strings.TrimSpace(string(data))
	f.check(text != "", key+"_file", "%s is empty", file)
	set(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }))
}

// digest identifies the content of a file.
type digest [sha256.Size]byte

// readDigests reads the files that are named by keys outside of lists. It must be called before these
// files are used, so that a change in between is noticed by the next reload. An error in a file is
// reported where it is used.
func (c *Config) readDigests() {
	c.files = map[string]digest{}
	for k := range keyValues("", c) {
		if !strings.HasSuffix(k.path, "_file") {
			continue
		}
		if data, err := os.ReadFile(k.value.String()); err == nil {
			c.files[k.path] = sha256.Sum256(data)
		}
	}
}

// readIDs reads the files of ids.
func (c *Config) readIDs() error {
	var f faults
	for i := range c.Backends {
		b := &c.Backends[i]
		if b.IDs == "" {
			continue
		}
		text, err := os.ReadFile(b.IDs)
		if err == nil {
			b.ids, err = mapping.ParseIDs(text)
		}
		f.check(err == nil, fmt.Sprintf("backends[%d].ids", i), "%s: %v", b.IDs, err)
	}
	return errors.Join(f...)
}
