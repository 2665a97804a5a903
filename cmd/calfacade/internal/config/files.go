package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// readSecretFiles reads the secrets in files of their own, as container platforms mount them: a key
// token_file names the file of token.
func (c *Config) readSecretFiles() error {
	var f faults
	f.secretFiles("", c)
	for i := range c.Edge.Purge {
		f.secretFiles(fmt.Sprintf("edge.purge[%d]", i), &c.Edge.Purge[i])
	}
	return errors.Join(f...)
}

// secretFiles reads the files of the secrets of a section, which is a pointer to a struct.
func (f *faults) secretFiles(path string, section any) {
	keys := map[string]any{}
	for k := range keyValues(path, section) {
		keys[k.path] = k.value.Addr().Interface()
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		key, isFile := strings.CutSuffix(name, "_file")
		file, isText := keys[name].(*string)
		if !isFile || !isText || *file == "" {
			continue
		}
		switch secret := keys[key].(type) {
		case *Secret:
			lines := f.secretFile(key, *file, secret.Reveal() != "")
			*secret = NewSecret(strings.Join(lines, "\n"))
		case *Secrets:
			lines := f.secretFile(key, *file, len(*secret) > 0)
			*secret = NewSecrets(lines)
		}
	}
}

// secretFile returns the lines of a file. Errors quote its name, but not its content.
func (f *faults) secretFile(key, file string, isSet bool) []string {
	f.check(!isSet, key+"_file", "%s is set as well: use one of the two", key)
	data, err := os.ReadFile(file)
	if err != nil {
		f.check(false, key+"_file", "%v", err)
		return nil
	}
	text := strings.TrimSpace(string(data))
	f.check(text != "", key+"_file", "%s is empty", file)
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
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
