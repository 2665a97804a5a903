package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// TestStatusReloads: sessions stay, and so do modes that were switched by hand, until the
// configuration changes it.
func TestStatusReloads(t *testing.T) {
	c := minimalConfig(t)
	c.Admin.Token = config.NewSecret(testToken)
	c.Cache.SiteZone = "UTC"
	next := c
	s, err := newService(c, serviceOptions{log: zap.NewNop(), metrics: telemetry.NewMetrics(""),
		load: func() (config.Config, error) { return next, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	cookie := ""
	ask := func(path string, form url.Values) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		if form != nil {
			r = httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		s.admin(w, r)
		return w
	}
	reload := func() {
		t.Helper()
		if err := s.reload(); err != nil {
			t.Fatal(err)
		}
	}
	cookie, _, _ = strings.Cut(ask("/status/sign-in", url.Values{"token": {testToken}}).Header().Get("Set-Cookie"), ";")
	ask("/status/do", url.Values{"do": {"read-only"}})
	next.PublicURL = "https://new.example.org"
	reload()
	page := ask("/status/", nil).Body.String()
	if !strings.Contains(page, "Writes are refused") || !strings.Contains(page, "public_url: https://new.example.org") {
		t.Errorf("after a reload: %s", page)
	}
	next.Writes = "none"
	reload()
	next.Writes = "any"
	reload()
	if page := ask("/status/", nil).Body.String(); !strings.Contains(page, "Writes are accepted") {
		t.Errorf("after the mode has changed: %s", page)
	}
	next.Admin.Token = config.NewSecret("another token of many")
	reload()
	if w := ask("/status/", nil); w.Code != http.StatusSeeOther {
		t.Errorf("after the token has changed: %d", w.Code)
	}
}

// statusPage returns the status page of a process without an admin.token.
func (s serving) statusPage() string {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.admin+"/status/", nil)
	if err != nil {
		s.Fatal(err)
	}
	res, body := send(s.T, r)
	if res.StatusCode != http.StatusOK {
		s.Fatalf("/status/: %s", res.Status)
	}
	return string(body)
}

// value returns the value of a metric without labels, as a scrape shows it; "" without a value.
func (s serving) value(metric string) string {
	s.Helper()
	if m := regexp.MustCompile("(?m)^" + metric + " (.*)$").FindStringSubmatch(s.metrics()); m != nil {
		return m[1]
	}
	return ""
}
