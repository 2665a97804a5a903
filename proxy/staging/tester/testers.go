package tester

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/i18n"
)

// A request has its token in the field or, in browsers, in the cookie. Both names are fixed:
// the lane knows them, and so may a proxy in front.
const (
	Field  = "X-Calfacade-Tester"
	Cookie = "calfacade-tester"
)

// PagePath is the path of the page that sets the cookie, below the namespace of a language. It
// is not part of the contract with clients.
const PagePath = "/tester"

// Options configure Testers.
type Options struct {
	Key     string   // text of the key, at least MinKeyLen bytes; "" disables testers
	Cookie  bool     // also accept the cookie, and serve the page that sets it
	Revoked []string // names whose tokens are refused
}

// Testers checks the tokens of requests. nil finds none.
type Testers struct {
	key     Key
	cookie  bool
	revoked []string
	paths   []string                // of the cookie
	pages   map[string]i18n.Catalog // texts of the page, by its path in requests
}

// Root is a language root.
type Root struct {
	Public string // path of the root as browsers know it, such as /wp-json; "" is the top
	Page   string // path of the page in requests

	Language i18n.Catalog // of the page; "" is English
}

// New returns the testers of a site with these roots. Without a key it returns nil.
func New(o Options, roots []Root) *Testers {
	if o.Key == "" {
		return nil
	}
	t := &Testers{key: NewKey(o.Key), cookie: o.Cookie, revoked: o.Revoked, pages: map[string]i18n.Catalog{}}
	for _, root := range roots {
		t.pages[root.Page] = cmp.Or(root.Language, "en")
		if path := cmp.Or(root.Public, "/"); !slices.Contains(t.paths, path) {
			t.paths = append(t.paths, path)
		}
	}
	return t
}

// Result is what became of a request with a token. It is a label of the metrics.
type Result string

// The results. Of None nothing is counted.
const (
	None      Result = ""          // no token
	Candidate Result = "candidate" // sent to the candidate
	Uncovered Result = "uncovered" // of a resource or language that the pass does not cover
	ReadOnly  Result = "read_only" // refused: a write that the pass does not permit
	Expired   Result = "expired"   // refused, as all below
	Forged    Result = "forged"
	Malformed Result = "malformed"
	Revoked   Result = "revoked"
)

// Results are all but None, in order.
var Results = []Result{Candidate, Uncovered, ReadOnly, Expired, Forged, Malformed, Revoked}

// Of returns the pass of a request that has a valid token, with [Candidate]. Else the result
// is None, or why the token is refused.
func (t *Testers) Of(h http.Header, now time.Time) (Pass, Result) {
	if t == nil {
		return Pass{}, None
	}
	token, ok := t.token(h)
	if !ok {
		return Pass{}, None
	}
	return t.Check(token, now)
}

// token returns the token of a request. The field precedes the cookie.
func (t *Testers) token(h http.Header) (token string, ok bool) {
	switch fields := h[Field]; len(fields) {
	case 0:
	case 1:
		return fields[0], true
	default:
		return "", true // malformed
	}
	if !t.cookie {
		return "", false
	}
	for _, line := range h["Cookie"] {
		if !strings.Contains(line, Cookie+"=") {
			continue // without the cost of parsing
		}
		for _, c := range (&http.Request{Header: http.Header{"Cookie": {line}}}).CookiesNamed(Cookie) {
			return c.Value, true // that of the longest path
		}
	}
	return "", false
}

// Check returns the pass of a token as [Testers.Of] does.
func (t *Testers) Check(token string, now time.Time) (Pass, Result) {
	p, err := t.key.Open(token, now)
	switch {
	case errors.Is(err, ErrExpired):
		return Pass{}, Expired
	case errors.Is(err, ErrForged):
		return Pass{}, Forged
	case err != nil:
		return Pass{}, Malformed
	case slices.Contains(t.revoked, p.Name):
		return Pass{}, Revoked
	}
	return p, Candidate
}

// Vary returns the request header fields that select the backend, for the Vary of cacheable
// responses: a shared cache must not serve a tester what it stored for others.
func (t *Testers) Vary() []string {
	switch {
	case t == nil:
		return nil
	case t.cookie:
		return []string{Field, "Cookie"}
	}
	return []string{Field}
}
