package probe

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// notes returns what is unusual about the response to an anonymous request for a list.
func (o *Options) notes(b *Backend, got upstream.Response) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if got.Padding > 0 {
		note("sends %d bytes around its JSON, which are removed: PHP notices, or a byte order mark in a file of a plugin or theme", got.Padding)
	}
	if !b.Dialect.Counts(got.Header) {
		note("sends lists without header fields for their counts, or something in between removes these: the counts in the body are used")
	}
	if reason, key := o.Unshared(got.Header); reason != "" {
		note("%s: responses to anonymous clients are cached only if %s allows it", reason, key)
	}
	return all
}

// unreachableHint returns the configuration key that may help when a call fails.
func unreachableHint(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return ": see upstream.ca_file"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return ": see upstream.host"
	}
	return ""
}

// noRootHint returns a likely reason why there is no REST root.
func noRootHint(got upstream.Response, root string) string {
	linked := linkedRoot(got.Header)
	switch {
	case got.Status == http.StatusUnauthorized && got.Header.Get("Www-Authenticate") != "":
		return ": something in front of the site requires credentials, see upstream.username"
	case linked != "" && linked != root:
		return fmt.Sprintf(": the site reports the REST root %s; set that as the upstream", linked)
	case got.Status == http.StatusNotFound:
		return ": the upstream may lack the directory of WordPress, or have another prefix than the site; the Link header of the site's start page has the URL"
	}
	return ""
}
