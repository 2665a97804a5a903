// Package crawl makes the calls that read all lists and items of a site, and reads what their
// responses show. It sends nothing: programs that compare sites, warm a cache or probe a
// backend do.
//
// Start with [Lists], and with [ReadPage] for the responses.
package crawl
