package proxy

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// notes lists what is unusual in the answer to an anonymous list, and is served all the
// same.
func (f *Facade) notes(b *backend, got upstream.Response) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if got.Padding > 0 {
		note("writes %d bytes around its JSON, which are left out: a notice of PHP, or a byte order mark in a file of a plugin or theme", got.Padding)
	}
	if !b.speech.Counts(got.Header) {
		note("has no header fields that count a list, as something between takes them away: the counts of the body are used")
	}
	if o, found := f.options.Freshness.obstacle(got.Header); found {
		note("%s: what anonymous readers get is cached only if %s allows it", o.what, o.key)
	}
	return all
}

// unreachableHint returns which key may help against a call that found no answer.
func unreachableHint(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return ": see upstream.ca_file"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return ": see upstream.host"
	}
	return ""
}

// noRootHint returns what may be the reason that there is no REST root.
func noRootHint(got upstream.Response, root string) string {
	said := saidRoot(got.Header)
	switch {
	case got.Status == http.StatusUnauthorized && got.Header.Get("Www-Authenticate") != "":
		return ": something in front of it wants credentials, see upstream.username"
	case said != "" && said != root:
		return fmt.Sprintf(": the site says that its REST root is %s, so set that as the upstream", said)
	case got.Status == http.StatusNotFound:
		return ": the upstream may lack the directory of WordPress, or have another prefix than the site; the Link header of the site's start page has the URL"
	}
	return ""
}
