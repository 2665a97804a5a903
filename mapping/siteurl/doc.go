// Package siteurl reads and writes the URLs of WordPress sites: of REST roots and of the calls
// below them, and the links in the site's responses, which spell the same URL in several
// ways. The package knows no endpoints and no configuration.
//
// Start with roots.go for URLs that the facade requests, with links.go for links.
package siteurl
