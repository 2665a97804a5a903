// Package i18n holds the languages, the REST root of each, and the catalogs of
// every text that a client can see.
//
// site.go says which root answers a request; catalog.go gives the texts.
package i18n
