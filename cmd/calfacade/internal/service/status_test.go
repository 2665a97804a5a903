package service

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// TestStatusReloads: sessions stay, and so do modes that were switched by hand, until the
// configuration changes it.
func TestStatusReloads(t *testing.T) {
	c := processtest.MinimalConfig(t)
	c.Admin.Token = config.NewSecret(processtest.TestToken)
	c.Cache.SiteZone = "UTC"
	next := c
	s, err := New(c, Options{Log: zap.NewNop(), Metrics: telemetry.NewMetrics(""),
		Load: func() (config.Config, error) { return next, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(t.Context()); err != nil {
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
		s.Admin(w, r)
		return w
	}
	reload := func() {
		t.Helper()
		if err := s.Reload(); err != nil {
			t.Fatal(err)
		}
	}
	cookie, _, _ = strings.Cut(ask("/status/sign-in", url.Values{"token": {processtest.TestToken}}).Header().Get("Set-Cookie"), ";")
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
