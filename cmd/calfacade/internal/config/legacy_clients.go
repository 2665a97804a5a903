package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/legacyclients"
)

// LegacyClients serves clients that still use the API of the legacy site, in its names.
type LegacyClients struct {
	// Enabled serves the namespace of the legacy site, tribe/events/v1, beside the
	// neutral one: at the same roots, from the same cache and backends. Default false.
	Enabled bool `yaml:"enabled"`

	// Deprecated is the time since which the names are deprecated: a date such as 2027-01-31,
	// or a time such as 2027-01-31T10:00:00Z. Responses have it in the header field Deprecation
	// (RFC 9745). Default empty: they do not have the field.
	Deprecated string `yaml:"deprecated"`

	// Sunset is the time at which the names are expected to be refused, as
	// [LegacyClients.Deprecated].
	// Responses have it in the header field Sunset (RFC 8594). No request is refused because
	// of it: see [LegacyClients.Off]. Default empty: they do not have the field.
	Sunset string `yaml:"sunset"`

	// Off are the resources for which requests in the legacy's names are refused with 410:
	// events, venues, organizers, categories, tags, or all. Default none.
	Off []string `yaml:"off" check:"resource all"`

	// Brownouts are periods in which a share of these requests is refused with 410, so that
	// the owners of clients notice before all of them are refused. Default none.
	Brownouts []Brownout `yaml:"brownouts"`
}

// Brownout is a period in which a share of the requests in the legacy's names is refused.
type Brownout struct {
	// From is the time at which it begins, as [LegacyClients.Deprecated]. Default empty: it
	// has begun.
	From string `yaml:"from"`

	// To is the time at which it ends. Default empty: it does not end.
	To string `yaml:"to"`

	// Daily limits it to these hours of each day in UTC, such as 09:00-10:30 or 23:00-01:00.
	// Default empty: the whole day.
	Daily string `yaml:"daily"`

	// Percent is the percentage of requests that is refused, 1 to 100. Default 0, which is an
	// error.
	Percent int `yaml:"percent" check:"range 1 100"`

	// Resources are the resources that it applies to, as [LegacyClients.Off]. Default none:
	// all.
	Resources []string `yaml:"resources" check:"resource all"`
}

// LegacyNames returns the options of the legacy's names from a valid configuration; nil if they
// are not served. If the site has another dialect by now, the configuration has no names of its
// own for them, and the names of tribe/events/v1 apply.
func (c Config) LegacyNames() *legacyclients.Options {
	l := c.LegacyClients
	if !l.Enabled {
		return nil
	}
	o := &legacyclients.Options{Names: mapping.Backend{Dialect: mapping.Tribe, LanguageParam: mapping.Tribe.LanguageParam}, Off: l.Off}
	if DialectOf(c.Upstream.Dialect) == mapping.Tribe {
		o.Names.LanguageParam, o.Names.Languages = c.Upstream.LanguageParam, map[string]string{}
		for _, language := range c.Languages {
			if language.Tell != "" {
				o.Names.Languages[language.Code] = language.Tell
			}
		}
	}
	o.Deprecated, _ = moment(l.Deprecated) // valid
	o.Sunset, _ = moment(l.Sunset)
	for _, b := range l.Brownouts {
		out := legacyclients.Brownout{Percent: b.Percent, Resources: b.Resources}
		out.From, _ = moment(b.From)
		out.To, _ = moment(b.To)
		out.DayFrom, out.DayTo, _ = timesOfDay(b.Daily)
		o.Brownouts = append(o.Brownouts, out)
	}
	return o
}

// moment parses a date or a time; "" is the zero time.
func moment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("%q is neither a date such as 2027-01-31 nor a time such as 2027-01-31T10:00:00Z", text)
	}
	return at, nil
}

// timesOfDay parses a period of the day, such as 09:00-10:30, into durations since midnight;
// "" is the whole day.
func timesOfDay(text string) (from, to time.Duration, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, second, _ := strings.Cut(text, "-")
	for _, part := range []struct {
		text string
		into *time.Duration
	}{{first, &from}, {second, &to}} {
		at, err := time.Parse("15:04", part.text)
		if err != nil {
			return 0, 0, fmt.Errorf("%q is not a period of the day such as 09:00-10:30", text)
		}
		*part.into = time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
	}
	if from == to {
		return 0, 0, fmt.Errorf("%q is an empty period", text)
	}
	return from, to, nil
}

func (f *faults) legacyClients(c Config) {
	l := c.LegacyClients
	deprecated := f.moment("legacy_clients.deprecated", l.Deprecated)
	sunset := f.moment("legacy_clients.sunset", l.Sunset)
	f.check(deprecated.IsZero() || sunset.IsZero() || !sunset.Before(deprecated), "legacy_clients.sunset",
		"%q is before legacy_clients.deprecated (RFC 9745, 4)", l.Sunset)
	for i, b := range l.Brownouts {
		key := fmt.Sprintf("legacy_clients.brownouts[%d]", i)
		from, to := f.moment(key+".from", b.From), f.moment(key+".to", b.To)
		f.check(to.IsZero() || from.Before(to), key+".to", "%q is not after from", b.To)
		_, _, err := timesOfDay(b.Daily)
		f.check(err == nil, key+".daily", "%v", err)
	}
	if l.Enabled && c.LegacyNames().Names.LanguageParam == "" {
		f.check(!sharesRoots(c.Languages), "legacy_clients.enabled",
			"languages share a root: upstream.language_param must be set, to select one")
	}
}

func (f *faults) moment(key, text string) time.Time {
	at, err := moment(text)
	f.check(err == nil, key, "%v", err)
	return at
}

// sharesRoots reports whether two languages share a root of the facade.
func sharesRoots(list []i18n.Language) bool {
	for i, l := range list {
		if slices.ContainsFunc(list[:i], func(other i18n.Language) bool { return other.Root == l.Root && other.Select == i18n.ByParameter }) {
			return true
		}
	}
	return false
}
