package config

import (
	"cmp"
	"reflect"
	"slices"
	"time"
)

// Start is the part of a configuration that a process reads once: its listeners,
// log, traces and servers. These use nothing else of the configuration, so a
// reload that leaves Start unchanged can ignore them.
type Start struct {
	Listen, AdminListen string

	TLS     TLS // without HSTS, which is reloaded
	Log     Log // without Requests, likewise
	Tracing Tracing
	Server  Server

	MaxConnections, MaxClientConnections int

	Lane          bool
	WatchInterval time.Duration
}

// Server bounds how long a client may take, and the size of its header.
type Server struct {
	HeaderTimeout, ReadTimeout, WriteTimeout, IdleTimeout time.Duration

	MaxHeader int // bytes
}

// AtStart returns what a process that starts with the configuration reads of it.
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

// Changed returns the keys whose values differ, or the contents of the files that they name, in their order, and those among
// them that require a restart: with them the process would have started
// differently.
func Changed(before, after Config) (changed, restart []string) {
	// now becomes after, one key at a time.
	now := before
	was := now.AtStart()
	theirs := slices.Collect(keyValues("", &after))
	for i, k := range slices.Collect(keyValues("", &now)) {
		if reflect.DeepEqual(k.value.Interface(), theirs[i].value.Interface()) && before.files[k.path] == after.files[k.path] {
			continue
		}
		changed = append(changed, k.path)
		k.value.Set(theirs[i].value)
		if is := now.AtStart(); is != was {
			restart, was = append(restart, k.path), is
		}
	}
	return changed, restart
}
