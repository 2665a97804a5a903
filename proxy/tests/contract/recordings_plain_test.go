package contract_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestPlainRecordings is TestRecordings for a site with plain permalinks, or one with pretty
// permalinks at index.php?rest_route=, whose pages are shown elsewhere.
func TestPlainRecordings(t *testing.T) {
	const pages = "https://pages.example"
	var current facadetest.RecordedExchange
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route := r.URL.Query()["rest_route"]; !strings.HasSuffix(r.URL.Path, "/index.php") || len(route) != 1 ||
			!strings.HasPrefix(route[0], "/tribe/events/v1") {
			t.Errorf("%s: %s %s", current.File, r.Method, r.RequestURI)
		}
		current.Reply(w, r)
	}))
	defer legacy.Close()
	o := facadetest.RecordingOptions(legacy.URL)
	o.Pages = pages
	for i := range o.Site {
		o.Site[i].Upstream = strings.TrimSuffix(o.Site[i].Upstream, "/wp-json") + "/index.php?rest_route="
	}
	facade := httptest.NewServer(proxy.New(o))
	defer facade.Close()

	compared := 0
	for _, file := range recordedtest.Files(t, "plain/*/*") {
		current = facadetest.ReadRecording(t, file)
		dir, route, isPlain := strings.Cut(current.Request.Path, "?rest_route=/tribe/events/v1/")
		if current.Request.Method == http.MethodHead {
			continue // sent as GET, and the recording has no body of it
		}
		if !isPlain || strings.Contains(route, "?") || current.Response.Status == http.StatusMethodNotAllowed || route == "nope" ||
			route == "doc" {
			continue // another API, local responses, and the response of the web server to "/"
		}
		compared++
		t.Run(current.File, func(t *testing.T) {
			target := strings.TrimSuffix(dir, "index.php") + "wp-json/calendar/events/v1/" + strings.Replace(route, "&", "?", 1)
			res, body := send(t, facade.URL, target, current)
			facadetest.CheckLeaks(t, res.Header, body)
			facadetest.CheckContract(t, facadetest.Full, current.Request.Method, target, res, body)
			want := current
			refusal := (*facadetest.Difference)(nil)
			want.Response.BodyRaw = ""
			var v any
			if err := json.Unmarshal(current.Sent(), &v); err == nil {
				want.Response.Body, _ = json.Marshal(prettyValue(pages, v))
			}
			if strings.HasPrefix(dir, "/fr/") { // that site has no language packs
				refusal = &facadetest.Difference{Status: http.StatusBadRequest}
			}
			want.Compare(t, res, body, refusal)
		})
	}
	if compared < 55 {
		t.Errorf("only %d recordings compared", compared)
	}
}

var (
	plainLink = regexp.MustCompile(`^(http://legacy\.example(?:/fr)?)/index\.php\?rest_route=([^&]*)&?(.*)$`)
	sitePage  = regexp.MustCompile(`^http://legacy\.example/(.*)$`)
	pageParam = regexp.MustCompile(`([?&])tribe_`)
	draftType = regexp.MustCompile(`\?post_type=tribe_[a-z]+&`)
)

// prettyValue converts a response of a site, perhaps with plain permalinks, to one with pretty
// permalinks, whose pages are published at pages.
func prettyValue(pages string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		isPage := v["website"] == v["url"] // its page, and no website
		for name, inner := range v {
			if _, isText := inner.(string); !isText || name != "description" && name != "title" && (isPage || name != "website") {
				v[name] = prettyValue(pages, inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = prettyValue(pages, v[i])
		}
	case string:
		if m := plainLink.FindStringSubmatch(v); m != nil {
			route, _ := url.QueryUnescape(m[2])
			return strings.TrimSuffix(m[1]+"/wp-json"+route+"?"+m[3], "?")
		}
		if facadetest.RestRoot.MatchString(v) {
			return v
		}
		v = draftType.ReplaceAllString(v, "?")
		return pageParam.ReplaceAllString(sitePage.ReplaceAllString(v, pages+"/$1"), "${1}calendar_")
	}
	return v
}
