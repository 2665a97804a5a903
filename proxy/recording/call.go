package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// call identifies a call in a recording, without hosts and without secrets. Two calls are
// the same if all fields are equal.
type call struct {
	Root   string `json:"root"` // [Backend.rootName]; "" for a call outside the roots
	Method string `json:"method"`
	Path   string `json:"path"`            // below the root, percent-encoded
	Query  string `json:"query,omitempty"` // sorted pairs
}

// file returns the path of the call's file in a recording: a readable name and a hash, without the
// host. The path is "" for a call outside the roots.
func (c *call) file(roots []knownRoot) string {
	i := slices.IndexFunc(roots, func(k knownRoot) bool { return k.name == c.Root })
	if i < 0 {
		return ""
	}
	noBody := sha256.Sum256(nil) // the name has the body of a request, too
	hash := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %x", c.Root, c.Method, c.Path, c.Query, noBody))
	sum := hex.EncodeToString(hash[:16])
	return fmt.Sprintf("%s/%s.%s.%s.%s.json", sum[:2], c.Root, c.Method, c.resource(roots[i].namespace), sum)
}

// resource returns the resource that the path is about, such as "events".
func (c *call) resource(namespace string) string {
	path := strings.TrimPrefix(c.Path, "/"+namespace)
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if len(first) > 32 || !plainName.MatchString(first) {
		return "index"
	}
	return first
}

// String returns the call for the log.
func (c *call) String() string { return strings.TrimSuffix(c.Method+" "+c.Path+"?"+c.Query, "?") }

// credentialFields are the header fields that authenticate a client.
var credentialFields = []string{"Authorization", "Cookie", "X-Wp-Nonce"}

// isSecret reports whether the parameter of that name is never recorded.
func isSecret(name string) bool {
	secret := func(p *mapping.Param) bool { return p.Secret && p.Name == name }
	return name == mapping.NonceParam || slices.ContainsFunc(mapping.Table, func(e *mapping.Endpoint) bool {
		return slices.ContainsFunc(e.Params, secret) || slices.ContainsFunc(e.Fields, secret)
	})
}

// identify returns the call that a request makes, and whether it is public: a read without
// credentials and without a password.
func identify(roots []knownRoot, req *http.Request) (c call, public bool) {
	c.Method = req.Method
	public = req.Method == http.MethodGet || req.Method == http.MethodOptions
	for _, field := range credentialFields {
		public = public && req.Header.Get(field) == ""
	}
	for _, k := range roots {
		if target, ok := siteurl.Target(k.url, req.URL.String()); ok {
			path, query, _ := strings.Cut(target, "?")
			c.Root = k.name
			c.Path = path
			secret := c.readQuery(query)
			return c, public && !secret
		}
	}
	return c, public
}

// readQuery stores the query without secrets, and reports whether the query had a secret.
func (c *call) readQuery(raw string) (secret bool) {
	var pairs []string
	for pair := range strings.SplitSeq(raw, "&") {
		encoded, value, _ := strings.Cut(pair, "=")
		name := encoded // unchanged, if decoding fails
		if plain, err := url.QueryUnescape(encoded); err == nil {
			name = plain
		}
		name, _, _ = strings.Cut(name, "[")
		switch {
		case isSecret(name):
			secret = secret || value != ""
		case pair != "":
			pairs = append(pairs, pair)
		}
	}
	slices.Sort(pairs)
	c.Query = strings.Join(pairs, "&")
	return secret
}
