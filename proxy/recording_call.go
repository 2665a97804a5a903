package proxy

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// recordedCall is a call as a recording knows it: no host, and nothing that is
// secret. Calls are the same if all of it is.
type recordedCall struct {
	Root   string `json:"root"` // [RecordedBackend.rootName]
	Method string `json:"method"`
	Path   string `json:"path"`            // below the root, percent-encoded
	Query  string `json:"query,omitempty"` // its pairs sorted

	// Edits: the call reads an item that is to be written. Its answer is older than that
	// of the last read.
	Edits bool `json:"edits,omitempty"`

	// Sent is the body, its members sorted; nil for none. It stands here to be read:
	// its hash alone makes the call.
	Sent json.RawMessage `json:"sent,omitempty"`
}

// credentialFields are the header fields that say who asks; see identity.
var credentialFields = []string{"Authorization", "Cookie", "X-Wp-Nonce"}

// secretParams are the parameters that no recording holds.
var secretParams = func() map[string]bool {
	names := map[string]bool{nonceParam: true}
	for i := range mapping.Table {
		e := &mapping.Table[i]
		for _, p := range slices.Concat(e.Params, e.Fields) {
			if p.Secret {
				names[p.Name] = true
			}
		}
	}
	return names
}()

// listening is a request that is about to be sent, as far as a recording wants it.
type listening struct {
	call    recordedCall
	private bool     // there are credentials, or a password
	secrets []string // these, which an answer might repeat
}

var (
	errForeignRoot = errors.New("the call is to no root of the recording")
	errUnreadable  = errors.New("the body of the call is no JSON")
)

// listen tells which call a request is. It leaves the request as it is.
func listen(places []place, req *http.Request) (listening, error) {
	var l listening
	target, ok := "", false
	for _, p := range places {
		if target, ok = siteurl.Target(p.url, req.URL.String()); ok {
			l.call.Root = p.name
			break
		}
	}
	if !ok {
		return l, errForeignRoot
	}
	l.call.Method = req.Method
	l.call.Edits = upstream.Edits(req.Context())
	path, query, _ := strings.Cut(target, "?")
	l.call.Path = path
	l.query(query)
	l.identity(req.Header)
	sent, err := sentBody(req)
	if err != nil || len(sent) == 0 { // a DELETE may have a body without a byte
		return l, err
	}
	return l, l.body(sent)
}

func (l *listening) query(raw string) {
	var pairs []string
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		name, _, _ = strings.Cut(name, "[")
		switch {
		case secretParams[name]:
			if plain, err := url.QueryUnescape(value); err == nil {
				value = plain
			}
			l.hide(value)
		case pair != "":
			pairs = append(pairs, pair)
		}
	}
	slices.Sort(pairs)
	l.call.Query = strings.Join(pairs, "&")
}

func (l *listening) identity(h http.Header) {
	for _, name := range credentialFields {
		for _, value := range h.Values(name) {
			l.hide(value)
		}
	}
	_, token, _ := strings.Cut(h.Get("Authorization"), " ")
	l.hide(token)
	if plain, err := base64.StdEncoding.DecodeString(token); err == nil {
		_, password, _ := strings.Cut(string(plain), ":")
		l.hide(string(plain))
		l.hide(password)
	}
	for pair := range strings.SplitSeq(h.Get("Cookie"), "; ") {
		_, value, _ := strings.Cut(pair, "=")
		l.hide(value)
	}
}

// hide notes a secret of the call.
func (l *listening) hide(secret string) {
	if secret != "" {
		l.private = true
		l.secrets = append(l.secrets, secret)
	}
}

func (l *listening) body(sent []byte) error {
	d := json.NewDecoder(bytes.NewReader(sent))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return errUnreadable // err may quote it
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(l.scrub(v)); err != nil {
		return errUnreadable
	}
	l.call.Sent = bytes.TrimSpace(b.Bytes())
	return nil
}

// scrub gives v without what is secret in it.
func (l *listening) scrub(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if secretParams[name] {
				l.hide(fmt.Sprint(member))
				delete(v, name)
				continue
			}
			v[name] = l.scrub(member)
		}
	case []any:
		for i := range v {
			v[i] = l.scrub(v[i])
		}
	}
	return v
}

// sentBody gives the body of a request that is still to be sent; nil for none.
func sentBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	if req.GetBody == nil {
		return nil, errUnreadable
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	defer body.Close() // nothing was written
	return io.ReadAll(body)
}

// file is where the answer to the call stands below a recording's directory: a
// name to read and a hash that makes it the call's alone. No host is in it. It is
// "" for a call to none of the roots.
func (c *recordedCall) file(places []place) string {
	at := slices.IndexFunc(places, func(p place) bool { return p.name == c.Root })
	if at < 0 {
		return ""
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %q %q %q %x", c.Root, c.Method, c.Path, c.Query, sha256.Sum256(c.Sent))
	if c.Edits {
		_, _ = h.Write([]byte(" edits"))
	}
	sum := hex.EncodeToString(h.Sum(nil)[:16])
	return fmt.Sprintf("%s/%s.%s.%s.%s.json", sum[:2], c.Root, c.Method, c.word(places[at].namespace), sum)
}

// word is what the path is about, such as "events".
func (c *recordedCall) word(namespace string) string {
	path := strings.TrimPrefix(c.Path, "/"+namespace)
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if len(first) > 32 || !plainName.MatchString(first) {
		return "index"
	}
	return first
}

// String tells the call in the log.
func (c *recordedCall) String() string {
	s := c.Method + " " + c.Path
	if c.Query != "" {
		s += "?" + c.Query
	}
	return s
}
