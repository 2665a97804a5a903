package invite_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/invite"
	"github.com/calfacade/calfacade/proxy/staging/tester"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 1, time.UTC)

const key = "testers-0123456789abcdef-0123456789"

func configured(t *testing.T, more string) config.Config {
	t.Helper()
	c, err := config.Parse("c.yaml", []byte(`
public_url: https://api.example.org/a
languages: [{code: en, root: /wp-json, upstream: "https://legacy.example.org/wp-json"}]
backends: [{name: new, dialect: calendar/events/v1, upstreams: {en: "https://new.example.org/wp-json"}}]
staging: `+more), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const usual = "{candidate: new, testers: {key: " + key + ", max_age: 8h, revoked: [bob]}}"

func TestInvitation(t *testing.T) {
	r := invite.Request{Name: "anna", For: time.Hour, Writes: true, Resources: []string{"venues", "tags"}, Languages: []string{"en"}}
	i, err := invite.New(configured(t, usual), r, now)
	if err != nil {
		t.Fatal(err)
	}
	got, result := tester.New(tester.Options{Key: key}, nil).Check(i.Token, now)
	want := tester.Pass{Name: "anna", Expires: time.Date(2026, 5, 4, 13, 0, 0, 0, time.UTC), Writes: true, Resources: r.Resources, Languages: r.Languages}
	if diff := cmp.Diff(want, got); diff != "" || result != tester.Candidate {
		t.Errorf("%s (-want +got):\n%s", result, diff)
	}
	var b strings.Builder
	if err := i.Print(&b); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(b.String(), i.Token, "TOKEN")
	wantText := `The candidate serves reads and writes of venues, tags in en to anna until 2026-05-04 13:00:00 UTC.

Header:  X-Calfacade-Tester: TOKEN
Try it:  curl -i -H 'X-Calfacade-Tester: TOKEN' https://api.example.org/a/wp-json/calendar/events/v1/venues
Browser: https://api.example.org/a/wp-json/calendar/events/v1/tester#TOKEN
`
	if diff := cmp.Diff(wantText, text); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	i, err = invite.New(configured(t, strings.Replace(usual, "max_age", "cookie: false, max_age", 1)), invite.Request{Name: "anna", For: time.Hour}, now)
	if err != nil || i.Link != "" || i.Writes || !i.Covers("events", "en") {
		t.Errorf("without cookies: %+v, %v", i, err)
	}
}

func TestNoInvitation(t *testing.T) {
	for name, test := range map[string]struct {
		config string
		change func(*invite.Request)
		want   string
	}{
		"no candidate": {strings.Replace(usual, "candidate: new, ", "", 1), nil, "staging.candidate is empty"},
		"no key":       {"{candidate: new}", nil, "staging.testers.key is empty"},
		"too long":     {usual, func(r *invite.Request) { r.For = 9 * time.Hour }, "it may be valid for 8h0m0s at most"},
		"no time":      {usual, func(r *invite.Request) { r.For = 0 }, "it would have expired"},
		"no name":      {usual, func(r *invite.Request) { r.Name = "" }, "a name has 1 to 64"},
		"revoked":      {usual, func(r *invite.Request) { r.Name = "bob" }, "staging.testers.revoked has the name"},
		"no resource":  {usual, func(r *invite.Request) { r.Resources = []string{"meals"} }, `"meals" is no resource: want some of events`},
		"no language":  {usual, func(r *invite.Request) { r.Languages = []string{"es"} }, `"es" is no language: want some of en`},
	} {
		r := invite.Request{Name: "anna", For: time.Hour}
		if test.change != nil {
			test.change(&r)
		}
		if i, err := invite.New(configured(t, test.config), r, now); err == nil || !strings.HasPrefix(err.Error(), test.want) || i.Token != "" {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}
