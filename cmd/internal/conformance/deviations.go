package main

import "path"

// deviation is why calfacade does not pass some tests.
type deviation struct {
	tests    []string // IDs; * stands for anything
	run      string   // the key of the only run that deviates; "" is all
	excluded bool     // the tests do not apply: their outcome does not count
	reason   string
}

func (d *deviation) in(run string) bool { return d.run == "" || d.run == run }

// because is the deviation that explains a test, and the pattern that names it.
type because struct {
	*deviation
	pattern string
}

// byDesign returns why calfacade may fail a test; nil if it must pass. The first deviation
// that names the test counts.
func byDesign(run, id string) *because {
	for _, d := range deviations {
		for _, pattern := range d.tests {
			if ok, err := path.Match(pattern, id); err != nil {
				panic("BUG: " + err.Error())
			} else if ok && d.in(run) {
				return &because{d, pattern}
			}
		}
	}
	return nil
}

// deviations are all tests that calfacade does not pass.
var deviations = []*deviation{
	{
		tests: []string{"headers-*"}, excluded: true,
		reason: "calfacade forwards the header fields that the [contract](api.md) lists, and no others.",
	},
	{
		tests: []string{
			"304-*", "cc-resp-must-revalidate-stale", "cc-resp-no-cache-revalidate*", "conditional-etag-*-generate*",
			"conditional-etag-vary-headers", "conditional-lm-stale",
		}, excluded: true,
		reason: "calfacade sends no conditional requests to the site: in no recording has a response of the legacy `ETag` or " +
			"`Last-Modified`. A stale response is fetched as a whole.",
	},
	{
		tests: []string{"conditional-lm-*"}, excluded: true,
		reason: "Responses have no `Last-Modified`, since lists would change without it. `ETag` is the validator.",
	},
	{
		tests: []string{"vary-no-match", "vary-omit*", "vary-2-no-match", "vary-2-match-omit", "vary-3-no-match", "vary-3-order", "vary-invalidate"}, excluded: true,
		reason: "The call to the site depends on the contract's parameters alone, and is the same for all clients that share a " +
			"response. So is the response, whatever `Vary` names. `Vary: *` counts.",
	},
	{
		tests: []string{
			"heuristic-20[1-4]-*", "heuristic-50?-*", "heuristic-599-*", "status-20[34]-*", "status-299-*", "status-3*", "status-5*",
		}, excluded: true,
		reason: "A status that is not part of the contract is an error of the site, for which clients get calfacade's own.",
	},
	{
		tests:  []string{"heuristic-405-cached", "heuristic-410-cached", "heuristic-414-cached", "status-410-*", "status-499-*"},
		reason: "Of errors, 400 and 404 are stored. Others are not: they pass when the site is repaired.",
	},
	{
		tests: []string{"interim-*"}, excluded: true,
		reason: "Interim responses (1xx) are not part of the contract.",
	},
	{
		tests: []string{"partial-*"}, excluded: true,
		reason: "`Range` is ignored, as [RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#section-14.2) permits: a response is one JSON document.",
	},
	{
		tests: []string{"cdn-*"}, excluded: true,
		reason: "`CDN-Cache-Control` is for CDNs ([RFC 9213](https://www.rfc-editor.org/rfc/rfc9213)), which calfacade is not.",
	},
	{
		tests: []string{"invalidate-M-SEARCH*"}, excluded: true,
		reason: "The contract does not have the method. The request gets a 405.",
	},
	{
		tests:  []string{"invalidate-POST-failed", "invalidate-PUT-failed", "invalidate-DELETE-failed"},
		reason: "A site that answers a write with 500 may have made it. The client gets a 504, and what the write may have changed is purged.",
	},
	{
		tests:  []string{"method-POST"},
		reason: "The response to a write is not stored. It purges.",
	},
	{
		tests:  []string{"other-authorization-*"},
		reason: "A response to a request with credentials is never shared, whatever the site permits.",
	},
	{
		tests:  []string{"other-set-cookie"},
		reason: "A response with a cookie is not stored, unless `cache.ignore_cookies` names the cookie.",
	},
	{
		tests: []string{
			"freshness-max-age-stale", "freshness-max-age-0*", "freshness-max-age-age", "freshness-max-age-negative",
			"freshness-max-age-s-maxage-shared-longer*", "freshness-max-age-ignore-quoted*", "freshness-max-age-single-quoted",
			"age-parse-*", "freshness-expires-past", "freshness-expires-present", "freshness-expires-old-date",
			"freshness-expires-invalid*", "freshness-expires-age-*", "cc-resp-no-cache*", "stale-while-revalidate*",
			"stale-close-*", "status-200-stale", "status-40[04]-stale", "vary-star", "vary-syntax-*", "other-age-update-*",
		}, run: "defaults",
		reason: "The configuration decides how long a response is fresh, and purges end that early: WordPress and its plugins send " +
			"these fields without regard to the content. See [Cache-Control of the site](caching.md#cache-control-of-the-site).",
	},
	{
		tests:  []string{"status-200-must-understand"},
		reason: "`no-store` always forbids storing.",
	},
}
