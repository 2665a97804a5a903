package main

import (
	"encoding/base64"
	"net/http"

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

// upstreamOptions turns a valid configuration into the options of upstream calls.
func upstreamOptions(u config.Upstream) upstream.Options {
	return upstream.Options{
		Access:           accessOptions(u),
		ConnectTimeout:   u.ConnectTimeout,
		FirstByteTimeout: u.FirstByteTimeout,
		Timeout:          u.Timeout,
		MaxBody:          int64(u.MaxBody),
		MaxConcurrent:    u.MaxConcurrent,
		MaxQueue:         u.MaxQueue,
		ClientShare:      u.ClientShare,
		QueueTimeout:     u.QueueTimeout,
		Retries:          u.Retries,
		RetryPercent:     u.RetryPercent,
		Breaker:          upstream.BreakerOptions(u.Breaker),
		MaxRetryAfter:    u.MaxRetryAfter,
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
