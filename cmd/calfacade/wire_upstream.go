package main

import (
	"encoding/base64"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// legacyOptions turns a valid configuration into how the site speaks.
func legacyOptions(u config.Upstream) proxy.LegacyOptions {
	return proxy.LegacyOptions{
		Dialect:       config.DialectOf(u.Dialect),
		Namespace:     u.Namespace,
		LanguageParam: u.LanguageParam,
		SiteAliases:   u.SiteAliases,
		WordPress:     u.WordPressURL,
	}
}

// What no owner has a reason to set is the same at every site.
const (
	maxQueue      = 64               // calls that wait for a slot
	retries       = 2                // of a failed read, while a site restarts
	openPercent   = 50               // of failed calls: a site that answers half of its calls serves readers better than none
	maxRetryAfter = 30 * time.Second // WordPress sends ten minutes during maintenance, which usually ends after one
)

// upstreamOptions turns a valid configuration into the options of upstream calls.
func upstreamOptions(u config.Upstream) upstream.Options {
	return upstream.Options{
		Access:        accessOptions(u),
		Timeout:       u.Timeout,
		MaxBody:       int64(u.MaxBody),
		MaxConcurrent: u.MaxConcurrent,
		MaxQueue:      maxQueue,
		Retries:       retries,
		Breaker:       upstream.BreakerOptions{Percent: openPercent},
		MaxRetryAfter: maxRetryAfter,
	}
}

// accessOptions turns a valid configuration into the options of the way to the site.
func accessOptions(u config.Upstream) upstream.AccessOptions {
	// The file was read during validation. If it has gone since, no CA is trusted.
	cas, _ := u.CAs()
	o := upstream.AccessOptions{Host: u.Host, CAs: cas, Header: u.Header(), ClientCredentials: http.CanonicalHeaderKey(u.Authorization)}
	if u.Username != "" {
		o.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.Username+":"+u.Password.Reveal())))
	}
	return o
}

// backendOptions turns valid backends into options.
func backendOptions(backends []config.Backend) []proxy.BackendOptions {
	var all []proxy.BackendOptions
	for _, b := range backends {
		all = append(all, proxy.BackendOptions{
			Name: b.Name,
			Dialect: mapping.Backend{
				Dialect: config.DialectOf(b.Dialect), Namespace: b.Namespace, LanguageParam: b.LanguageParam, Languages: b.LanguageNames(), IDs: b.ItemIDs(),
			},
			Upstreams:   b.Upstreams,
			SiteAliases: b.SiteAliases,
		})
	}
	return all
}
