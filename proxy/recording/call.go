package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// call identifies a call in a recording, without hosts and without secrets. Two calls are
// the same if all fields are equal.
type call struct {
	Root   string `json:"root"` // [Backend.rootName]
	Method string `json:"method"`
	Path   string `json:"path"`            // below the root, percent-encoded
	Query  string `json:"query,omitempty"` // its pairs sorted

	// Edits reports that the call reads an item before it is written. Its response is
	// older than that of the last read.
	Edits bool `json:"edits,omitempty"`

	// Sent is the body with its members sorted; nil for none. The file has it for people
	// to read; its hash is what identifies the call.
	Sent json.RawMessage `json:"sent,omitempty"`
}

// file returns the path of the call's file in a recording: a readable name and a hash. No
// host is in it. It is "" for a call to none of the roots.
func (c *call) file(roots []knownRoot) string {
	at := slices.IndexFunc(roots, func(k knownRoot) bool { return k.name == c.Root })
	if at < 0 {
		return ""
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %q %q %q %x", c.Root, c.Method, c.Path, c.Query, sha256.Sum256(c.Sent))
	if c.Edits {
		_, _ = h.Write([]byte(" edits"))
	}
	sum := hex.EncodeToString(h.Sum(nil)[:16])
	return fmt.Sprintf("%s/%s.%s.%s.%s.json", sum[:2], c.Root, c.Method, c.resource(roots[at].namespace), sum)
}

// resource returns what the path is about, such as "events".
func (c *call) resource(namespace string) string {
	path := strings.TrimPrefix(c.Path, "/"+namespace)
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if len(first) > 32 || !plainName.MatchString(first) {
		return "index"
	}
	return first
}

// String returns the call for the log.
func (c *call) String() string {
	s := c.Method + " " + c.Path
	if c.Query != "" {
		s += "?" + c.Query
	}
	return s
}
