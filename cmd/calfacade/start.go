package main

import (
	"cmp"
	"reflect"
	"time"
)

// startConfig is what a process reads of its configuration once: where it listens, its
// log and traces, and its servers. These are made of nothing else, so that a reload that
// changes none of it changes nothing that they should have followed.
type startConfig struct {
	listen, adminListen string

	tls     TLSConfig // without HSTS, which facades read
	log     LogConfig // without Requests, likewise
	tracing TracingConfig
	server  serverConfig

	maxConnections, maxClientConnections int

	lane          bool
	watchInterval time.Duration
}

// serverConfig bounds how long a client may take, and what it may send first.
type serverConfig struct {
	headerTimeout, readTimeout, writeTimeout, idleTimeout time.Duration

	maxHeader int // bytes
}

// atStart is what a process that starts with the configuration reads of it.
func (c Config) atStart() startConfig {
	return startConfig{
		listen: c.Listen, adminListen: c.AdminListen,
		tls:     TLSConfig{CertFile: c.TLS.CertFile, KeyFile: c.TLS.KeyFile},
		log:     LogConfig{Level: c.Log.Level, Format: c.Log.Format},
		tracing: c.Tracing,
		server: serverConfig{
			headerTimeout: c.Limits.HeaderTimeout,
			readTimeout:   c.Limits.ReadTimeout,
			writeTimeout:  cmp.Or(c.Limits.WriteTimeout, 2*(c.Upstream.Timeout+c.Upstream.QueueTimeout)+30*time.Second),
			idleTimeout:   c.Limits.IdleTimeout,
			maxHeader:     int(c.Limits.MaxHeader),
		},
		maxConnections: c.Limits.MaxConnections, maxClientConnections: c.Limits.MaxClientConnections,
		lane:          c.Lane,
		watchInterval: c.WatchInterval,
	}
}

// changedKeys are the keys whose values differ, in their order, and those among them that take
// a restart: with them the process would have started otherwise.
func changedKeys(before, after Config) (changed, restart []string) {
	// now becomes after, one key at a time.
	now := before
	was := now.atStart()
	walkKeys("", reflect.ValueOf(&now).Elem(), reflect.ValueOf(after), func(key string, a, b reflect.Value) {
		if reflect.DeepEqual(a.Interface(), b.Interface()) {
			return
		}
		changed = append(changed, key)
		a.Set(b)
		if is := now.atStart(); is != was {
			restart, was = append(restart, key), is
		}
	})
	return changed, restart
}

// walkKeys calls f with each key and its values in two configurations.
func walkKeys(path string, a, b reflect.Value, f func(key string, a, b reflect.Value)) {
	_, secret := a.Interface().(Secret)
	_, quota := a.Interface().(Quota)
	if a.Kind() != reflect.Struct || secret || quota {
		f(path, a, b)
		return
	}
	for i := range a.NumField() {
		key := a.Type().Field(i).Tag.Get("yaml")
		if path != "" {
			key = path + "." + key
		}
		walkKeys(key, a.Field(i), b.Field(i), f)
	}
}
