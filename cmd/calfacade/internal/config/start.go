package config

import (
	"cmp"
	"reflect"
	"time"
)

// Start is what a process reads of its configuration once: where it listens, its
// log and traces, and its servers. These are made of nothing else, so that a reload that
// changes none of it changes nothing that they should have followed.
type Start struct {
	Listen, AdminListen string

	TLS     TLS // without HSTS, which facades read
	Log     Log // without Requests, likewise
	Tracing Tracing
	Server  Server

	MaxConnections, MaxClientConnections int

	Lane          bool
	WatchInterval time.Duration
}

// Server bounds how long a client may take, and what it may send first.
type Server struct {
	HeaderTimeout, ReadTimeout, WriteTimeout, IdleTimeout time.Duration

	MaxHeader int // bytes
}

// AtStart is what a process that starts with the configuration reads of it.
func (c Config) AtStart() Start {
	return Start{
		Listen: c.Listen, AdminListen: c.AdminListen,
		TLS:     TLS{CertFile: c.TLS.CertFile, KeyFile: c.TLS.KeyFile},
		Log:     Log{Level: c.Log.Level, Format: c.Log.Format},
		Tracing: c.Tracing,
		Server: Server{
			HeaderTimeout: c.Limits.HeaderTimeout,
			ReadTimeout:   c.Limits.ReadTimeout,
			WriteTimeout:  cmp.Or(c.Limits.WriteTimeout, 2*(c.Upstream.Timeout+c.Upstream.QueueTimeout)+30*time.Second),
			IdleTimeout:   c.Limits.IdleTimeout,
			MaxHeader:     int(c.Limits.MaxHeader),
		},
		MaxConnections: c.Limits.MaxConnections, MaxClientConnections: c.Limits.MaxClientConnections,
		Lane:          c.Lane,
		WatchInterval: c.WatchInterval,
	}
}

// Changed are the keys whose values differ, in their order, and those among them that take
// a restart: with them the process would have started otherwise.
func Changed(before, after Config) (changed, restart []string) {
	// now becomes after, one key at a time.
	now := before
	was := now.AtStart()
	walkKeys("", reflect.ValueOf(&now).Elem(), reflect.ValueOf(after), func(key string, a, b reflect.Value) {
		if reflect.DeepEqual(a.Interface(), b.Interface()) {
			return
		}
		changed = append(changed, key)
		a.Set(b)
		if is := now.AtStart(); is != was {
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
