package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/siteurl"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// get returns the request for a path below a REST root.
func get(path string) upstream.Request {
	return request(mapping.Request{Method: http.MethodGet, Path: path})
}

// request returns the anonymous call of a request.
func request(r mapping.Request) upstream.Request {
	return upstream.Request{Request: r, Class: upstream.Read, Anonymous: true}
}

// read sends a request to a REST root. A response without status 200 is an error.
func read(ctx context.Context, caller *upstream.Caller, root string, out upstream.Request) (upstream.Response, error) {
	response, _, err := caller.Do(ctx, root, out)
	switch {
	case err != nil:
	case response.Status >= 300 && response.Status < 400:
		err = fmt.Errorf("redirects to %s", upstream.BareURL(response.Header.Get("Location")))
	case response.Status != http.StatusOK:
		err = fmt.Errorf("status %d", response.Status)
	}
	return response, err
}

// indexPath is the path of the index of a REST root.
const indexPath = "/"

// restIndex is the index in WordPress's form.
type restIndex struct {
	URL            string         `json:"url"`       // of WordPress; prefix of image URLs
	Home           string         `json:"home"`      // the start page; prefix of the pages of the root's language
	Namespace      string         `json:"namespace"` // of the index of a namespace; "" in the index of a root
	Namespaces     []string       `json:"namespaces"`
	TimezoneString string         `json:"timezone_string"`
	GMTOffset      json.Number    `json:"gmt_offset"`
	Authentication map[string]any `json:"authentication"`
}

// location returns the zone of the index: a name, or hours east of UTC.
func (i restIndex) location() (*time.Location, error) {
	name := i.TimezoneString
	if name != "" && name != "Local" { // which would be this machine's
		location, err := time.LoadLocation(name)
		if err != nil {
			return nil, errors.New("the REST root has a time zone that this system does not know")
		}
		return location, nil
	}
	hours, err := strconv.ParseFloat(i.GMTOffset.String(), 64)
	if err != nil || !(-24 < hours && hours < 24) {
		return nil, errors.New("the REST root has no time zone")
	}
	return time.FixedZone(fmt.Sprintf("UTC%+g", hours), int(hours*3600)), nil
}

// restRelation matches the link to the REST root that WordPress adds to the header of each page.
var restRelation = regexp.MustCompile(`<([^<>]*)>; rel="https://api\.w\.org/"`)

// linkedRoot returns the REST root that a header links; "" without a link.
func linkedRoot(h http.Header) string {
	for _, value := range h.Values("Link") {
		match := restRelation.FindStringSubmatch(value)
		if match != nil {
			return rootOf(match[1])
		}
	}
	return ""
}

// languageEnd matches the parameters that a language plugin adds to the URL of a root.
var languageEnd = regexp.MustCompile(`[?&]lang=[^&]*$`)

// rootOf returns the REST root that a page of the site links; "" if the link has another form.
func rootOf(link string) string {
	root := siteurl.Root(languageEnd.ReplaceAllString(link, ""))
	if !siteurl.IsRoot(root) {
		return ""
	}
	return root
}
