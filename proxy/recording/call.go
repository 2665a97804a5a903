package recording

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

// call identifies a call in a recording, without hosts and without secrets. Two calls are
// the same if all fields are equal.
type call struct {
	Root   string `json:"root"` // [Backend.rootName]
	Method string `json:"method"`
	Path   string `json:"path"`            // below the root, percent-encoded
	Query  string `json:"query,omitempty"` // its pairs sorted

	// Edits reports that the call reads an item before it is written. Its response is
	// older than the response to the last read.
	Edits bool `json:"edits,omitempty"`

	// Sent is the body with its members sorted; nil for none. The file has it for people
	// to read; its hash identifies the call.
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
func (c *call) String() string { return strings.TrimSuffix(c.Method+" "+c.Path+"?"+c.Query, "?") }

// credentialFields are the header fields that authenticate a client.
var credentialFields = []string{"Authorization", "Cookie", "X-Wp-Nonce"}

// secretParams are the parameters that are never recorded.
var secretParams = func() map[string]bool {
	names := map[string]bool{mapping.NonceParam: true}
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

// sentCall is a request that is about to be sent, separated from its secrets.
type sentCall struct {
	call
	secrets []string // credentials and passwords; a response may repeat them
}

var (
	errForeignRoot = errors.New("the recording does not have the root of this call")
	errUnreadable  = errors.New("the body of the call is not JSON")
)

// identify returns the call that a request makes. It does not change the request.
func identify(roots []knownRoot, req *http.Request) (sentCall, error) {
	var s sentCall
	target, ok := "", false
	for _, k := range roots {
		if target, ok = siteurl.Target(k.url, req.URL.String()); ok {
			s.Root = k.name
			break
		}
	}
	if !ok {
		return s, errForeignRoot
	}
	s.Method, s.Edits = req.Method, upstream.Edits(req.Context())
	path, query, _ := strings.Cut(target, "?")
	s.Path = path
	s.readQuery(query)
	s.readCredentials(req.Header)
	body, err := bodyOf(req)
	if err != nil || len(body) == 0 { // the body of a DELETE may be empty
		return s, err
	}
	return s, s.readBody(body)
}

func (s *sentCall) readQuery(raw string) {
	var pairs []string
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, _, _ = strings.Cut(unescaped(name), "[")
		switch {
		case secretParams[name]:
			s.addSecret(unescaped(value))
		case pair != "":
			pairs = append(pairs, pair)
		}
	}
	slices.Sort(pairs)
	s.Query = strings.Join(pairs, "&")
}

// unescaped returns a part of a query decoded; as it is if it cannot be decoded.
func unescaped(part string) string {
	if plain, err := url.QueryUnescape(part); err == nil {
		return plain
	}
	return part
}

func (s *sentCall) readCredentials(h http.Header) {
	for _, name := range credentialFields {
		for _, value := range h.Values(name) {
			s.addSecret(value)
		}
	}
	_, token, _ := strings.Cut(h.Get("Authorization"), " ")
	s.addSecret(token)
	if plain, err := base64.StdEncoding.DecodeString(token); err == nil {
		_, password, _ := strings.Cut(string(plain), ":")
		s.addSecret(string(plain))
		s.addSecret(password)
	}
	for pair := range strings.SplitSeq(h.Get("Cookie"), "; ") {
		_, value, _ := strings.Cut(pair, "=")
		s.addSecret(value)
	}
}

func (s *sentCall) addSecret(secret string) {
	if secret != "" {
		s.secrets = append(s.secrets, secret)
	}
}

func (s *sentCall) readBody(body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return errUnreadable // err may quote the body
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.withoutSecrets(v)); err != nil {
		return errUnreadable
	}
	s.Sent = bytes.TrimSpace(b.Bytes())
	return nil
}

// withoutSecrets moves the secret members of v to s.secrets.
func (s *sentCall) withoutSecrets(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if secretParams[name] {
				s.addSecret(fmt.Sprint(member))
				delete(v, name)
				continue
			}
			v[name] = s.withoutSecrets(member)
		}
	case []any:
		for i := range v {
			v[i] = s.withoutSecrets(v[i])
		}
	}
	return v
}

// bodyOf returns the body of a request that has not been sent; nil for none.
func bodyOf(req *http.Request) ([]byte, error) {
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
	defer body.Close() // only read: a failed close loses nothing
	return io.ReadAll(body)
}
