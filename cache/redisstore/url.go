package redisstore

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Options say which Redis, and how long to wait for it. Redis 6.2 or later, or Valkey,
// is required; from 7 on lost records of the log are counted exactly (see [tail]).
//
// Redis must not evict the log while it keeps entries. An ACL user needs
//
//	~calfacade:* +@read +@write +@connection +@transaction +@scripting
//	+info +time +cluster|slots +cluster|shards
type Options struct {
	URLs         []string      // one: a server; several: a cluster's nodes; with ?master_name=: Sentinels
	Prefix       string        // of all keys; "" is "calfacade"
	Timeout      time.Duration // of a read of the log; 0 is 250 ms
	Brief        time.Duration // of a call on an entry or a quota that a request waits for, unless this Redis takes longer; 0 is 25 ms
	ReadLogEvery time.Duration // for which a log read serves later requests too; 0: each request waits for one that began after it
	LogLength    int64         // about how many records the log keeps; 0 is 10,000

	// Decided is called with the latest [SharedState], whose Version is 0 without decisions, by each check of the end
	// of the log, so that the request that reads the log knows them. nil: this instance does not act on decisions.
	Decided func(context.Context, SharedState)

	// Changed is called with the cause when Redis is found to be down, and with nil when it works
	// again. Calls alternate and do not overlap. nil does nothing.
	Changed func(cause error)

	Skew func() time.Duration // added to the time of Redis by tests that move the clock; nil adds nothing
	Dial dialFunc             // makes connections in tests that put a distance between; nil dials directly, with TLS if the URL says so
}

// The query parameters of a URL. Timeouts are not among them: see [Options].
//
//	ca_file      PEM of the authorities that a rediss:// server's certificate is checked against
//	cert_file    PEM of the client certificate for a rediss:// server, with its chain
//	key_file     PEM of the key of cert_file
//	master_name  the URL is of a Sentinel, and this names the master that it monitors
//	username     of the server behind a Sentinel; the Sentinel's own goes before the @
//	password     likewise
//	client_name  shown by CLIENT LIST
//	db           like the path of redis://
//	pool_size    connections to a node; default 24
//	skip_verify  true: accept any certificate
var (
	ownParameters   = []string{"ca_file", "cert_file", "key_file", "master_name", "password", "username"}
	redisParameters = []string{"client_name", "db", "pool_size", "skip_verify"} // which go-redis knows
)

// Errors never quote a URL: where a character of a password is not percent-encoded, any part may be
// the password, and the errors of net/url and go-redis quote it.
var (
	errURL = errors.New("must be redis://USER:PASSWORD@HOST:PORT/DATABASE, rediss:// for TLS, or unix:///PATH, " +
		"with special characters percent-encoded and no parameters but " +
		strings.Join(slices.Concat(ownParameters, redisParameters), ", "))
	errDiffers  = errors.New("differs from the first in more than its host and port")
	errDatabase = errors.New("has a database number, and a cluster has one database")
	errNoMaster = errors.New("has username or password as a parameter without master_name; they go before the @")
	errTLS      = errors.New("has ca_file, cert_file, key_file or skip_verify without being rediss://")
	errFiles    = errors.New("has a ca_file that cannot be read as PEM certificates, " +
		"or a cert_file and a key_file that cannot be read as a PEM certificate and its key")
)

// dialer makes a client, with options that alter may change; a nil alter changes nothing.
type dialer func(alter func(*redis.UniversalOptions)) redis.UniversalClient

// dialFunc makes a connection.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// parseURLs returns a function that makes clients for urls, with pool connections and the
// timeouts of [limits]. Errors name a URL by its number.
func parseURLs(urls []string, limit Options) (dial dialer, pool int, err error) {
	if len(urls) == 0 {
		return nil, 0, errors.New("no redis URL")
	}
	var options redis.UniversalOptions
	var first string
	for i, s := range urls {
		o, server, err := parseURL(s)
		if i == 0 {
			options, first = o, server
		} else {
			options.Addrs = append(options.Addrs, o.Addrs...)
		}
		switch {
		case err != nil:
		case server != first:
			err = errDiffers
		case len(urls) > 1 && o.MasterName == "" && o.DB != 0:
			err = errDatabase
		default:
			continue
		}
		return nil, 0, fmt.Errorf("redis URL %d: %w", i+1, err)
	}
	options.IsClusterMode = len(urls) > 1 && options.MasterName == ""
	return func(alter func(*redis.UniversalOptions)) redis.UniversalClient {
		o := options // go-redis modifies its options
		o.Addrs = slices.Clone(options.Addrs)
		if options.TLSConfig != nil {
			o.TLSConfig = options.TLSConfig.Clone()
		}
		limits(&o, limit.Brief, limit.Timeout)
		o.Dialer = limit.Dial
		if alter != nil {
			alter(&o)
		}
		return redis.NewUniversalClient(&o)
	}, cmp.Or(options.PoolSize, DefaultConnections), nil
}

// parseURL reads the parameters that go-redis does not know, and leaves the rest to it. server is the
// URL without host and port, which the other nodes of a cluster or the other Sentinels share.
func parseURL(s string) (o redis.UniversalOptions, server string, err error) {
	u, err := url.Parse(s)
	if err != nil {
		return o, "", errURL
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Fragment != "" || (u.Hostname() == "") != (u.Scheme == "unix") {
		return o, "", errURL
	}
	parameters := map[string]string{}
	for name, values := range q {
		parameters[name] = values[0]
		switch {
		case slices.Contains(ownParameters, name):
			q.Del(name)
		case !slices.Contains(redisParameters, name):
			return o, "", errURL
		}
	}
	if parameters["master_name"] != "" && u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), "26379")
	}
	stripped := *u
	stripped.RawQuery = q.Encode()
	p, err := redis.ParseURL(stripped.String())
	switch {
	case u.Scheme != "rediss" && parameters["ca_file"]+parameters["cert_file"]+parameters["key_file"]+parameters["skip_verify"] != "":
		return o, "", errTLS
	case err != nil || p.DB < 0 || p.PoolSize < 0:
		return o, "", errURL
	case parameters["master_name"] == "" && parameters["username"]+parameters["password"] != "":
		return o, "", errNoMaster
	}
	o = redis.UniversalOptions{
		Addrs: []string{p.Addr}, Username: p.Username, Password: p.Password, DB: p.DB, TLSConfig: p.TLSConfig,
		MasterName: parameters["master_name"], ClientName: p.ClientName, PoolSize: p.PoolSize,
	}
	if o.MasterName != "" {
		o.SentinelUsername = p.Username
		o.SentinelPassword = p.Password
		o.Username, o.Password = parameters["username"], parameters["password"]
	}
	u.Host = ""
	return o, u.String(), readFiles(o.TLSConfig, parameters)
}

// readFiles adds the certificates of a URL. It leaves the server name to the dialer: the nodes of a
// cluster and the master behind a Sentinel have other names than the URL.
func readFiles(c *tls.Config, parameters map[string]string) error {
	if c == nil {
		return nil
	}
	c.ServerName = ""
	if parameters["ca_file"] != "" {
		pem, err := os.ReadFile(parameters["ca_file"])
		c.RootCAs = x509.NewCertPool()
		if err != nil || !c.RootCAs.AppendCertsFromPEM(pem) {
			return errFiles
		}
	}
	if parameters["cert_file"]+parameters["key_file"] == "" {
		return nil
	}
	// It reads the files for each connection, so that a renewed certificate needs no restart.
	c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(parameters["cert_file"], parameters["key_file"])
		if err != nil {
			return nil, errFiles
		}
		return &pair, nil
	}
	_, err := c.GetClientCertificate(nil)
	return err
}

// DefaultConnections is the default number of connections to a node. Half of them are for lookups,
// a quarter for storing, and the rest for purges and leases (see [askWithSlot]).
//
// Redis answers one call after the other, so that more calls at once only wait in Redis, or
// for the processor that they share with it: on one core, under 64 clients with 256 lists,
// 12 lookups at once never come near their timeout, and of 18 many do.
const DefaultConnections = 24

// limits disables the retries of go-redis. With its defaults a dead Redis costs 1.7 s a
// call and a hung one 5 s.
//
// The timeouts here are only outer bounds; the deadline of each call's context applies. A
// dial does not end with the call that caused it: it goes on in the background and serves
// the next, so that a slow handshake is paid once.
func limits(o *redis.UniversalOptions, brief, timeout time.Duration) {
	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1
	bound := max(patience, brief, timeout)
	o.ReadTimeout = bound
	o.WriteTimeout = bound
	o.DialTimeout = bound
	if o.MasterName != "" {
		o.DialTimeout = 2 * bound // it asks the Sentinel, which takes four round trips
	}
	o.DialerRetries = 1
	// Shorter than the timeout of a lookup: waiting for a connection is saturation here, and no sign of
	// a Redis that is down.
	o.PoolTimeout = brief / 2
	o.PoolSize = cmp.Or(o.PoolSize, DefaultConnections)
	o.Protocol = 2          // nothing here needs the push messages of RESP3
	o.PipelinePoolSize = -1 // one pool is enough
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// silence stops go-redis from printing to stderr, once: it returns the same as errors,
// which are counted.
var silence = sync.OnceFunc(logging.Disable)
