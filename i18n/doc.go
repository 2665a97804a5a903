// Package i18n holds the languages, the REST root of each, and the catalogs of
// every text that a client can see.
//
// site.go selects the root that answers a request; catalog.go has the texts.
package i18n
