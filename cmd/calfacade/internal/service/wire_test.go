package service

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/staging"
)

// TestPlannedChangesAreNoWarnings: a change that a person or the configuration makes is no fault. A rollback is one.
func TestPlannedChangesAreNoWarnings(t *testing.T) {
	for person, want := range map[string]string{"anna": "info", staging.ByConfiguration: "info", staging.ByRollback: "warn"} {
		core, records := observer.New(zap.DebugLevel)
		logStaging(zap.New(core), staging.Change{Who: person, To: staging.Setting{State: staging.Shadow}})
		logStaging(zap.New(core), staging.Change{Who: person, Mode: "read_only"})
		for _, record := range records.All() {
			if got := record.Level.String(); got != want {
				t.Errorf("%s by %s: level %s, want %s", record.Message, person, got, want)
			}
		}
	}
}

// The configuration of the access to the site reaches the calls.
func TestAccessOptions(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*config.Upstream)
		want   http.Header
	}{
		"nothing": {func(*config.Upstream) {}, http.Header{}},
		"a password": {func(u *config.Upstream) { u.BasicAuth = config.NewSecret("staging:opensesame") },
			http.Header{"Authorization": {"Basic c3RhZ2luZzpvcGVuc2VzYW1l"}}},
		"header fields": {func(u *config.Upstream) {
			u.Headers = config.NewSecrets([]string{"x-key:  a: b ", "X-Forwarded-Proto: https"})
		},
			http.Header{"X-Key": {"a: b"}, "X-Forwarded-Proto": {"https"}}},
	} {
		c := processtest.MinimalConfig(t)
		c.Upstream.Host = "www.example.org"
		c.Upstream.Authorization = "x-authorization"
		test.change(&c.Upstream)
		got := FacadeOptions(c, zap.NewNop()).Upstream.Access
		if diff := cmp.Diff(test.want, got.Header); diff != "" {
			t.Errorf("%s: header (-want +got):\n%s", name, diff)
		}
		if got.Host != "www.example.org" || got.ClientCredentials != "X-Authorization" || got.CAs != nil {
			t.Errorf("%s: got %q %q %v", name, got.Host, got.ClientCredentials, got.CAs)
		}
	}
}
