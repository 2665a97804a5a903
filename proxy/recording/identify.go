package recording

import (
	"bytes"
	"encoding/base64"
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
	call    call
	private bool     // it has credentials or a password
	secrets []string // these; a response may repeat them
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
			s.call.Root = k.name
			break
		}
	}
	if !ok {
		return s, errForeignRoot
	}
	s.call.Method = req.Method
	s.call.Edits = upstream.Edits(req.Context())
	path, query, _ := strings.Cut(target, "?")
	s.call.Path = path
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
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		name, _, _ = strings.Cut(name, "[")
		switch {
		case secretParams[name]:
			if plain, err := url.QueryUnescape(value); err == nil {
				value = plain
			}
			s.addSecret(value)
		case pair != "":
			pairs = append(pairs, pair)
		}
	}
	slices.Sort(pairs)
	s.call.Query = strings.Join(pairs, "&")
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
		s.private = true
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
	s.call.Sent = bytes.TrimSpace(b.Bytes())
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
