package redisstore

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// parameters are the query parameters of a URL. Timeouts are not among them: see [Options].
var parameters = []string{
	"ca_file",     // PEM of the authorities that a rediss:// server's certificate is checked against
	"cert_file",   // PEM of the client certificate for a rediss:// server, with its chain
	"client_name", // shown by CLIENT LIST
	"db",          // like the path of redis://
	"key_file",    // PEM of the key of cert_file
	"master_name", // the URL is of a Sentinel, and this names the master that it monitors
	"password",    // of the server behind a Sentinel; the Sentinel's own goes before the @
	"pool_size",   // connections to a node; default 24
	"protocol",    // 2 or 3; default 2
	"skip_verify", // true: accept any certificate
	"username",    // like password
}

// dialer makes a client, with options that alter may change; nil changes none.
type dialer func(alter func(*redis.UniversalOptions)) redis.UniversalClient

// parseURLs returns a function that makes clients for urls, with pool connections and the
// timeouts of [limits].
//
// Errors name the URL by its number and never quote a part of it: where a character of a
// password is not percent-encoded, any part may be the password, and the errors of net/url
// and go-redis quote it.
func parseURLs(urls []string, limit Options) (dial dialer, pool int, err error) {
	if len(urls) == 0 {
		return nil, 0, errors.New("no redis URL")
	}
	var all redis.UniversalOptions
	for i, u := range urls {
		o, err := parseURL(u)
		if err == nil && i > 0 {
			err = sameServers(&all, o)
		}
		if err == nil && len(urls) > 1 && o.MasterName == "" && (strings.HasPrefix(o.Addrs[0], "/") || o.DB != 0) {
			err = errors.New("the nodes of a cluster have no sockets and no database numbers")
		}
		if err != nil {
			return nil, 0, fmt.Errorf("redis URL %d: %w", i+1, err)
		}
		if i == 0 {
			all = *o
		} else {
			all.Addrs = append(all.Addrs, o.Addrs...)
		}
	}
	all.IsClusterMode = len(urls) > 1 && all.MasterName == ""
	return func(alter func(*redis.UniversalOptions)) redis.UniversalClient {
		o := all // go-redis modifies its options
		o.Addrs = slices.Clone(all.Addrs)
		if all.TLSConfig != nil {
			o.TLSConfig = all.TLSConfig.Clone()
		}
		limits(&o, limit.Brief, limit.Timeout)
		if alter != nil {
			alter(&o)
		}
		return redis.NewUniversalClient(&o)
	}, cmp.Or(all.PoolSize, connections), nil
}

// sameServers rejects URLs of one Redis that disagree: the first would win silently.
func sameServers(a, b *redis.UniversalOptions) error {
	if a.MasterName != b.MasterName || a.DB != b.DB || (a.TLSConfig == nil) != (b.TLSConfig == nil) ||
		a.Username != b.Username || a.Password != b.Password ||
		a.SentinelUsername != b.SentinelUsername || a.SentinelPassword != b.SentinelPassword {
		return errors.New("differs from the first in more than its host and port")
	}
	return nil
}

func parseURL(s string) (*redis.UniversalOptions, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("is not a URL (special characters of a password must be percent-encoded)")
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Fragment != "" {
		return nil, errors.New("has a damaged query or a fragment (special characters of a password must be percent-encoded)")
	}
	for name := range q {
		if !slices.Contains(parameters, name) {
			return nil, fmt.Errorf("has an unknown parameter; known are %s", strings.Join(parameters, ", "))
		}
	}
	o := &redis.UniversalOptions{MasterName: q.Get("master_name"), ClientName: q.Get("client_name")}
	o.Username = u.User.Username()
	o.Password, _ = u.User.Password()
	if o.MasterName != "" {
		o.SentinelUsername, o.SentinelPassword = o.Username, o.Password
		o.Username, o.Password = q.Get("username"), q.Get("password")
	} else if q.Has("username") || q.Has("password") {
		return nil, errors.New("has username or password as a parameter without master_name; they go before the @")
	}
	if err := redisAddress(o, u); err != nil {
		return nil, err
	}
	if err := redisNumbers(o, u, q); err != nil {
		return nil, err
	}
	return o, redisTLS(o, u, q)
}

func redisAddress(o *redis.UniversalOptions, u *url.URL) error {
	switch u.Scheme {
	case "redis", "rediss":
		if u.Hostname() == "" {
			return errors.New("has no host")
		}
		port := u.Port()
		if port == "" {
			port = "6379"
			if o.MasterName != "" {
				port = "26379"
			}
		}
		o.Addrs = []string{net.JoinHostPort(u.Hostname(), port)}
		return nil
	case "unix":
		if u.Host != "" || len(u.Path) < 2 || o.MasterName != "" {
			return errors.New("of a socket must be unix:///path, without a host and master_name")
		}
		o.Addrs = []string{u.Path}
		return nil
	}
	return errors.New("must begin with redis://, rediss:// or unix://")
}

func redisNumbers(o *redis.UniversalOptions, u *url.URL, q url.Values) error {
	db := q.Get("db")
	if path := strings.Trim(u.Path, "/"); u.Scheme != "unix" && path != "" {
		db = path
	}
	for _, n := range []struct {
		name, text string
		low, high  int
		to         *int
	}{
		{"database", db, 0, 1 << 20, &o.DB},
		{"pool_size", q.Get("pool_size"), 1, 10_000, &o.PoolSize},
		{"protocol", q.Get("protocol"), 2, 3, &o.Protocol},
	} {
		if n.text == "" {
			continue
		}
		v, err := strconv.Atoi(n.text)
		if err != nil || v < n.low || v > n.high {
			return fmt.Errorf("has a %s that is not a number from %d to %d", n.name, n.low, n.high)
		}
		*n.to = v
	}
	return nil
}

// redisTLS leaves the server name to the dialer: the nodes of a cluster and the master
// behind a Sentinel have other names than the URL.
func redisTLS(o *redis.UniversalOptions, u *url.URL, q url.Values) error {
	if u.Scheme != "rediss" {
		if q.Has("ca_file") || q.Has("cert_file") || q.Has("key_file") || q.Has("skip_verify") {
			return errors.New("has ca_file, cert_file, key_file or skip_verify without being rediss://")
		}
		return nil
	}
	o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if s := q.Get("skip_verify"); s != "" {
		skip, err := strconv.ParseBool(s)
		if err != nil {
			return errors.New("has a skip_verify that is not true or false")
		}
		o.TLSConfig.InsecureSkipVerify = skip
	}
	if file := q.Get("ca_file"); file != "" {
		pem, err := os.ReadFile(file)
		o.TLSConfig.RootCAs = x509.NewCertPool()
		if err != nil || !o.TLSConfig.RootCAs.AppendCertsFromPEM(pem) {
			return errors.New("has a ca_file that cannot be read as PEM certificates")
		}
	}
	if q.Has("cert_file") || q.Has("key_file") {
		o.TLSConfig.GetClientCertificate = clientCertificate(q.Get("cert_file"), q.Get("key_file"))
		_, err := o.TLSConfig.GetClientCertificate(nil)
		return err
	}
	return nil
}

// clientCertificate returns a function that reads the files for each connection, so that a renewed
// certificate needs no restart.
func clientCertificate(cert, key string) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	return func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil { // not wrapped: it quotes the URL
			return nil, errors.New("has a cert_file and a key_file that cannot be read as a PEM certificate and its key")
		}
		return &pair, nil
	}
}
