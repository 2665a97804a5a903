package config

import (
	"reflect"
	"slices"
	"time"
)

// Start is the part of a configuration that a process reads once: its listeners,
// log, traces and servers. These use nothing else of the configuration, so a
// reload that leaves Start unchanged can ignore them.
type Start struct {
	Listen, AdminListen string

	TLS    TLS
	Log    Log // without Requests, which is reloaded
	Server Server

	MaxConnections, MaxClientConnections int

	Lane          bool
	WatchInterval time.Duration
}

// Server bounds how long a client may take.
type Server struct{ WriteTimeout, IdleTimeout time.Duration }

// whole is the time that a call on the site may take beside [Upstream.Timeout]: in the queue, for a read
// before an update and for the update, and until the client has the response.
const whole = 32 * time.Second

// AtStart returns what a process that starts with the configuration reads of it.
func (c Config) AtStart() Start {
	return Start{
		Listen: c.Listen, AdminListen: c.AdminListen,
		TLS:            c.TLS,
		Log:            Log{Level: c.Log.Level, Format: c.Log.Format},
		Server:         Server{WriteTimeout: 2*c.Upstream.Timeout + whole, IdleTimeout: c.Limits.IdleTimeout},
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
