package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy/legacyclients"
)

func legacyClientsConfig(t *testing.T, lines string) (Config, error) {
	t.Helper()
	return Parse("config.yaml", []byte("public_url: https://api.example.org\nlanguages:\n- {code: en, root: /wp-json, upstream: "+
		"\"https://legacy.example.org/wp-json\"}\n- {code: de, root: /de/wp-json, upstream: \"https://legacy.example.org/de/"+
		"wp-json\", tell: de_DE}\n"+lines), nil)
}

// sameDialect compares dialects, which have functions, by their pointers.
var sameDialect = cmp.Comparer(func(x, y *mapping.Dialect) bool { return x == y })

func TestLegacyNames(t *testing.T) {
	if c, err := legacyClientsConfig(t, ""); err != nil || c.LegacyNames() != nil {
		t.Errorf("by default: %v, %v", c.LegacyNames(), err)
	}
	c, err := legacyClientsConfig(t, `
upstream: {language_param: lang}
legacy_clients:
  enabled: true
  deprecated: 2026-11-23
  sunset: 2027-06-30T12:00:00+02:00
  off: [venues]
  brownouts:
  - {from: 2027-01-11, to: 2027-01-16, daily: "23:30-01:00", percent: 50, resources: [events, all]}
  - {percent: 1}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := &legacyclients.Options{
		Names: mapping.API{Dialect: tribe.Dialect, LanguageParam: "lang",
			Languages: map[string]string{"de": "de_DE"}},
		Deprecated: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC),
		Sunset:     time.Date(2027, 6, 30, 10, 0, 0, 0, time.UTC),
		Off:        []string{"venues"},
		Brownouts: []legacyclients.Brownout{
			{From: time.Date(2027, 1, 11, 0, 0, 0, 0, time.UTC), To: time.Date(2027, 1, 16, 0, 0, 0, 0, time.UTC),
				Daily: legacyclients.Hours{From: 23*time.Hour + 30*time.Minute, To: time.Hour}, Percent: 50,
				Resources: []string{"events", "all"}},
			{Percent: 1},
		},
	}
	if diff := cmp.Diff(want, c.LegacyNames(), networks, sameDialect); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	c, err = legacyClientsConfig(t, "upstream: {dialect: tec/v1, language_param: \"\"}\nlegacy_clients: {enabled: true}\n")
	names := c.LegacyNames().Names
	if err != nil || names.Dialect.Namespace != "tribe/events/v1" || names.LanguageParam != "wpml_language" {
		t.Errorf("of a site that has become another: %v, %v", c.LegacyNames(), err)
	}
}

func TestLegacyClientsFaults(t *testing.T) {
	for yaml, want := range map[string]string{
		"{deprecated: soon}":                           "config.yaml: line 5: expected a date such as 2027-01-31, or a time",
		"{sunset: 2027-13-01}":                         "config.yaml: line 5: expected a date",
		"{deprecated: 2027-01-02, sunset: 2027-01-01}": "legacy_clients.sunset: 2027-01-01T00:00:00Z is before",
		"{off: [venue]}":                               "legacy_clients.off[0]: \"venue\" is not one of events",
		"{brownouts: [{}]}":                            "legacy_clients.brownouts[0].percent: must be from 1 to 100",
		"{brownouts: [{percent: 1, from: 2027-01-02, to: 2027-01-02}]}": "legacy_clients.brownouts[0].to: 2027-01-02T00:00:00Z is " +
			"not after from",
		"{brownouts: [{percent: 1, daily: \"9-10\"}]}":        "config.yaml: line 5: expected a period of the day such as 09:00-10:30",
		"{brownouts: [{percent: 1, daily: \"09:00-09:00\"}]}": "config.yaml: line 5: expected a period of the day",
		"{brownouts: [{percent: 1, resources: [x]}]}":         "legacy_clients.brownouts[0].resources[0]: \"x\" is not one of",
	} {
		_, err := legacyClientsConfig(t, "legacy_clients: "+yaml+"\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", yaml, err, want)
		}
	}
}
