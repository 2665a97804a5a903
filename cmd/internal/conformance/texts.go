package main

const introduction = `# Conformance

[http-tests/cache-tests](https://github.com/http-tests/cache-tests) is the public test suite for HTTP caches. It has %d
tests for proxies. Here are the results of calfacade, beside those that the suite publishes for other caches. The suite was at
%s. This command writes this page. It needs Node.js, and a clone of the suite, which is not part of this
repository:

` + "```sh not-run" + `
git clone https://github.com/http-tests/cache-tests
go run ./cmd/internal/conformance -suite cache-tests
` + "```" + `

The suite requests URLs of its own server through a cache. calfacade serves one contract, so the command translates on both
sides. The URL of a test becomes an event. PUT and POST become updates of this event. A URL with a query becomes a search for
venues. The site behind calfacade gets status, header fields and body from the suite's server. It sends the body, and the
fields that calfacade does not forward, inside the title of the event. ` + "`If-None-Match`" + ` is translated from the validator of
the suite's server to that of calfacade. Age, Date and status are those of calfacade.

There are two runs. In both the circuit breaker stays closed, because the tests make the site fail.

- **defaults**: the configuration as shipped. ` + "`cache.ttl`" + ` and purges decide how long a response is fresh. Of the site's
  ` + "`Cache-Control`" + `, only ` + "`private`" + ` and ` + "`no-store`" + ` count. The suite expects that a cache does not store a response without a
  lifetime. calfacade does, and here the tests that depend on this one count nevertheless.
- **` + "`cache.obey_origin: true`" + `**: the site's header fields decide. As the suite requires, a response without a lifetime is
  stale at the second request of a test: ` + "`cache.ttl`" + ` is one second, and ` + "`cache.stale_while_revalidate`" + ` is zero.

As on the suite's own pages, a test fails if one that it depends on fails. The suite has two kinds of tests that have a right
result, and one that only asks what a cache does. That one is not shown.
`

var meaning = map[kind]string{
	required: "A cache that fails one of these violates a standard. A cell has the tests that pass, and all tests of the section. In\n" +
		"parentheses are those that do not apply to calfacade, or that it fails, [by design](#deviations-by-design).",
	optimal: "A cache that fails one of these could have used a stored response.",
}

const deviationsText = "All required and optimal tests that are in no row pass. `*` stands for any characters."
