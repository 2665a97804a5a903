package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// SiteOptions configure [Discover]. All fields but URL may be zero.
type SiteOptions struct {
	URL string // of a page of the site, or of a REST root

	// Access is the way to reach the site. The header and host in Access are for the origin of URL alone: with either
	// of them no other origin is called, and no root is at another origin.
	Access upstream.AccessOptions

	Progress func(url string) // is called before each request; nil disables the calls
}

// visit reads pages of a site.
type visit struct {
	options     SiteOptions
	service     *upstream.Service
	origin      string // of options.URL, see originOf
	shownOrigin string // origin, without a default port

	named, readAt string // origins: in the site's own links, and of the requests; "" if these are the same
	forwarded     bool   // requests to origin have forwardedHTTPS
}

const (
	maxPage      = 1 << 20          // bytes of a page that are read: the head
	maxRedirects = 10               // of one page
	pageTime     = 20 * time.Second // for one response
)

// forwardedHTTPS is the header field by which a proxy that has the certificate reports https to the site.
const forwardedHTTPS = "X-Forwarded-Proto: https"

// newVisit returns a visit of the site at a URL.
func newVisit(o SiteOptions) (*visit, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("not a URL") // err quotes the URL
	}
	return &visit{
		options: o, service: upstream.NewSiteService(pageTime, maxPage, o.Access),
		origin: originOf(u), shownOrigin: u.Scheme + "://" + u.Host,
	}, nil
}

// originOf returns the origin of a URL: scheme, host and port (RFC 6454).
func originOf(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// allows reports whether a URL may get requests: with credentials, URLs of the origin of the visit alone.
func (v *visit) allows(address string) bool {
	if len(v.options.Access.Header) == 0 && v.options.Access.Host == "" {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && originOf(u) == v.origin
}

// elsewhere explains why a URL of another origin gets no request.
func (v *visit) elsewhere() string {
	return fmt.Sprintf(", which is of another origin: the credentials, header fields and host of upstream are for %s alone; "+
		"give a URL of the other origin if they are for that", v.shownOrigin)
}

// stay makes the visit read URLs of the origin of a link at the origin of a page instead, and reports
// whether these differ. Another scheme alone is another origin only if the site is made to believe in https.
func (v *visit) stay(page, link string) bool {
	pageURL, err := url.Parse(page)
	linkURL, invalid := url.Parse(link)
	if err != nil || invalid != nil || linkURL.Host == "" ||
		linkURL.Host == pageURL.Host && (!v.forwarded || linkURL.Scheme == pageURL.Scheme) {
		return false
	}
	v.named = linkURL.Scheme + "://" + linkURL.Host
	v.readAt = pageURL.Scheme + "://" + pageURL.Host
	return true
}

// reach returns the address at which a URL of the site is read.
func (v *visit) reach(address string) string {
	path, ok := strings.CutPrefix(address, v.named)
	if ok && v.named != "" && (path == "" || path[0] == '/' || path[0] == '?') {
		return v.readAt + path
	}
	return address
}

// get requests a page, and follows redirects. It returns the URL of the response. A site that insists on https
// behind a TLS proxy redirects from an internal http URL to a URL that is not for calls, or that
// nothing serves: then get requests the page as that proxy does.
func (v *visit) get(ctx context.Context, address string) (upstream.Response, *url.URL, error) {
	u, err := url.Parse(v.reach(address))
	if err != nil {
		return upstream.Response{}, nil, errors.New("a link that is no URL")
	}
	response, last, err := v.follow(ctx, u)
	insists := u.Scheme == "http" && last.Scheme == "https" && (err != nil || isInternal(u.Hostname()))
	if !insists || v.forwarded || originOf(u) != v.origin {
		return response, last, err
	}
	v.forwarded = true
	if answer, finalURL, failure := v.follow(ctx, u); failure == nil && originOf(finalURL) == v.origin {
		return answer, finalURL, nil
	}
	v.forwarded = false
	return response, last, err
}

// follow requests a page, and follows redirects. It returns the URL of the response, or of the request that failed.
func (v *visit) follow(ctx context.Context, u *url.URL) (upstream.Response, *url.URL, error) {
	for range maxRedirects {
		response, err := v.send(ctx, u)
		if err != nil {
			return response, u, err
		}
		next := v.next(u, response)
		switch {
		case next == nil:
			return response, u, nil
		case *next == *u:
			return response, next, fmt.Errorf("%s redirects to itself: what is in front of the site, or a plugin, must stop that", bare(u))
		case !v.allows(next.String()):
			return response, next, fmt.Errorf("%s redirects to %s%s", bare(u), bare(next), v.elsewhere())
		}
		u = next
	}
	return upstream.Response{}, u, fmt.Errorf("redirects without end, at last to %s: the site, or what is in front of it, redirects "+
		"from each spelling to another, such as http and https", bare(u))
}

// bare returns a URL without the parts that may be secrets.
func bare(u *url.URL) string { return upstream.BareURL(u.String()) }

// send makes one request.
func (v *visit) send(ctx context.Context, u *url.URL) (upstream.Response, error) {
	if !v.allows(u.String()) {
		return upstream.Response{}, fmt.Errorf("%s%s", bare(u), v.elsewhere())
	}
	if v.options.Progress != nil {
		v.options.Progress(bare(u))
	}
	header := http.Header{"Accept": {"text/html, application/json;q=0.9, */*;q=0.8"}}
	if v.forwarded && originOf(u) == v.origin {
		header.Set("X-Forwarded-Proto", "https")
	}
	response, err := v.service.Send(ctx, http.MethodGet, u.String(), header, nil)
	if err != nil {
		err = fmt.Errorf("%s: %w%s", bare(u), err, upstream.Remedy(err))
	}
	return response, err
}

// next returns the target of a redirect; nil for another response. A site that is made to believe in https uses
// https in the URLs of its pages.
func (v *visit) next(u *url.URL, response upstream.Response) *url.URL {
	location := response.Header.Get("Location")
	switch response.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	next, err := u.Parse(location)
	if err != nil || location == "" || next.Hostname() == "" || next.Scheme != "http" && next.Scheme != "https" {
		return nil
	}
	next.User = nil
	if v.forwarded && next.Host == u.Host {
		next.Scheme = u.Scheme
	}
	return next
}

// isInternal reports whether a host is an address or a name that only machines near the site know.
func isInternal(host string) bool {
	address, err := netip.ParseAddr(host)
	if err != nil {
		return !strings.Contains(host, ".")
	}
	return address.IsPrivate() || address.IsLoopback() || address.IsLinkLocalUnicast()
}
