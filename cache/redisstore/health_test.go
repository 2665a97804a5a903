package redisstore

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/redis/go-redis/v9"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// TestHealth: Redis is down after a second of failures without a success, and at once after a
// refusal. It is up again once it has worked for a while without a failure. Changes alternate.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var changes []error
		h := health{changed: func(cause error) { changes = append(changes, cause) }}
		settled := func() {
			t.Helper()
			for range 2 {
				h.worked()
				if !h.down.Load() || !h.patient() || !h.returning() {
					t.Error("up before other instances have noticed it")
				}
				time.Sleep(settle / 2)
			}
			h.worked()
		}
		now := time.Now()
		if h.failed(now, io.EOF) || h.down.Load() {
			t.Error("down after one failure")
		}
		h.worked()
		if h.failed(now, io.EOF) {
			t.Error("a success does not count")
		}
		if !h.failed(now, errReplica) || h.failed(now, errReplica) || !h.patient() {
			t.Error("a refusal does not count, or twice, or as long ago")
		}
		h.worked()
		h.failed(now, errReplica) // so that it settles again
		settled()
		if !h.failed(now.Add(-grace), io.EOF) || h.patient() {
			t.Error("not down after a second")
		}
		settled()
		if diff := cmp.Diff([]error{errReplica, nil, io.EOF, nil}, changes, cmpopts.EquateErrors()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if h.failing() != 0 || h.returning() {
			t.Error("it does not work")
		}
	})
}

// TestHealthOfAFarRedis: a slow answer of a Redis that returns does not begin its return again. Successes that are far
// apart are no return.
func TestHealthOfAFarRedis(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := health{changed: func(error) {}}
		h.failed(time.Now(), errReplica)
		h.worked()
		time.Sleep(2 * grace)
		h.worked()
		if !h.down.Load() {
			t.Error("up after two successes that are far apart")
		}
		time.Sleep(settle / 2)
		h.failed(time.Now(), context.DeadlineExceeded)
		time.Sleep(settle / 2)
		h.worked()
		if h.down.Load() {
			t.Error("down after a slow answer")
		}
		h.failed(time.Now(), errReplica)
		h.worked()
		h.failed(time.Now(), io.EOF)
		time.Sleep(settle)
		h.worked()
		if !h.down.Load() {
			t.Error("up although the connection broke meanwhile")
		}
	})
}

// TestRedisDown: a Redis that is dead or hangs is down after a second, costs a lookup no time then,
// and is used again when it is back.
func TestRedisDown(t *testing.T) {
	for _, test := range []struct {
		name     string
		down, up func(*redistest.Server)
	}{
		{name: "dead", down: (*redistest.Server).Kill, up: (*redistest.Server).Start},
		{name: "hung", down: (*redistest.Server).Freeze, up: (*redistest.Server).Resume},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.StartServer(t)
			changes := make(chan error, 100)
			r := open(t, Options{URLs: []string{s.URL()}, Changed: func(cause error) { changes <- cause }})
			rec := follow(t, r)
			for len(changes) > 0 {
				<-changes // of a stall
			}
			test.down(s)
			rec.pending = []string{"pending"}
			eventually(t, "it is down", func() bool { _ = r.ReadLog(); return !r.Up() })
			if cause := <-changes; cause == nil {
				t.Error("there is no cause")
			}
			if _, err := r.Find(background, "key", time.Hour); !errors.Is(err, ErrDown) {
				t.Errorf("a lookup: %v", err)
			}
			if _, err := r.Append(background, []byte("lost")); err == nil {
				t.Error("appended")
			}
			test.up(s)
			eventually(t, "it is up without a request", r.Up)
			if cause := <-changes; cause != nil || len(changes) > 0 {
				t.Errorf("back, with the cause %v and %d further changes", cause, len(changes))
			}
			caughtUp(t, r)
			if len(rec.pending) > 0 {
				t.Error("what was pending is not in the log")
			}
		})
	}
}

// TestRedisPauses: a pause of Redis that is shorter than the times of log reads and purges makes neither
// fail, and Redis does not count as down.
func TestRedisPauses(t *testing.T) {
	for _, pause := range []time.Duration{60 * time.Millisecond, 150 * time.Millisecond, 300 * time.Millisecond} {
		t.Run(pause.String(), func(t *testing.T) {
			t.Parallel()
			s := redistest.StartServer(t)
			o := Options{URLs: []string{s.URL()}}
			a := open(t, o)
			b := open(t, o)
			rec := follow(t, b)
			s.Freeze()
			time.AfterFunc(pause, s.Resume)
			position := mustAppend(t, a, "during")
			caughtUp(t, b)
			rec.covers("during", position)
			if !a.Up() {
				t.Errorf("%+v", a.Stats())
			}
		})
	}
}

// TestRedisRefuses: a Redis that answers but takes no writes is down for readers too, with the
// reason, until it takes one.
func TestRedisRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reason string
		refuse, take []any
	}{
		{
			name:   "full",
			reason: "OOM",
			refuse: []any{"CONFIG", "SET", "maxmemory", "1"},
			take:   []any{"CONFIG", "SET", "maxmemory", "0"},
		},
		{
			name:   "replica",
			reason: "replica",
			refuse: []any{"REPLICAOF", "127.0.0.1", "1"},
			take:   []any{"REPLICAOF", "NO", "ONE"},
		},
		{
			name:   "too few replicas",
			reason: "NOREPLICAS",
			refuse: []any{"CONFIG", "SET", "min-replicas-to-write", "1"},
			take:   []any{"CONFIG", "SET", "min-replicas-to-write", "0"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.StartServer(t)
			changes := make(chan error, 100)
			o := Options{URLs: []string{s.URL()}, Timeout: aLongTime, Changed: func(cause error) { changes <- cause }}
			reader := open(t, o)
			writer := open(t, Options{URLs: o.URLs, Timeout: aLongTime})
			follow(t, reader)
			s.Do(c.refuse...)
			unchecked(reader)
			if err := reader.ReadLog(); err == nil || reader.Up() {
				t.Errorf("a log read: %v", err)
			}
			if cause := <-changes; cause == nil || !strings.Contains(cause.Error(), c.reason) {
				t.Errorf("the cause is %v, want %s", cause, c.reason)
			}
			if _, err := writer.Append(background, []byte("x")); err == nil || writer.Up() {
				t.Errorf("a purge: %v", err)
			}
			s.Do(c.take...)
			eventually(t, "both are up", func() bool { return reader.Up() && writer.Up() })
			if cause := <-changes; cause != nil || len(changes) > 0 {
				t.Errorf("flaps: %v, and %d more", cause, len(changes))
			}
		})
	}
}

// TestClusterNodeLost: a lost node costs its own entries, and the log only if it has that.
func TestClusterNodeLost(t *testing.T) {
	t.Parallel()
	run := redistest.StartCluster(t)
	r := open(t, Options{URLs: run.URLs, Timeout: aLongTime, Brief: aLongTime})
	rec := follow(t, r)
	host := ""
	for _, s := range run.Masters {
		s.Do("CONFIG", "SET", "cluster-require-full-coverage", "no")
		if s.Admin.Exists(background, r.logKey).Err() == nil { // else MOVED
			host = s.Address
		}
	}
	for _, s := range run.Masters {
		if s.Address != host {
			s.Kill()
			break
		}
	}
	position := mustAppend(t, r, "after")
	must(t, r.ReadLog())
	rec.covers("after", position)
	if !r.Up() || r.Stats().Trips > 0 {
		t.Errorf("down: %+v", r.Stats())
	}
}

// TestRedisNeverReachable: nothing waits for a Redis that was never there.
func TestRedisNeverReachable(t *testing.T) {
	t.Parallel()
	r := open(t, Options{URLs: []string{"redis://" + redistest.FreePort(t)}})
	eventually(t, "it is down", func() bool { _ = r.ReadLog(); return !r.Up() })
	if !r.Now().IsZero() {
		t.Error("it knows a time")
	}
}

// TestRedisWrongPassword: the error of a wrong password does not show it.
func TestRedisWrongPassword(t *testing.T) {
	t.Parallel()
	run := redistest.StartPassword(t)
	r := open(t, Options{URLs: []string{"redis://:wr0ng@" + run.Masters[0].Address}})
	for _, err := range []error{r.ReadLog(), errOf(r.Append(background, nil))} {
		if err == nil || strings.Contains(err.Error(), "wr0ng") {
			t.Errorf("error is %v", err)
		}
	}
	if r.Up() {
		t.Error("it is up")
	}
}

func errOf(_ Position, err error) error { return err }

// TestRedisCallerGone: a caller that disconnects does not count as a failure of Redis.
func TestRedisCallerGone(t *testing.T) {
	s := redistest.StartServer(t)
	r := open(t, Options{URLs: []string{s.URL()}})
	ctx, cancel := context.WithCancel(background)
	cancel()
	if f, err := r.Find(ctx, "key", time.Hour); err == nil || f.Data != nil || f.Lease != nil {
		t.Errorf("%+v %v", f, err)
	}
	if s := r.Stats(); !s.Up || s.Trips != 0 {
		t.Errorf("stats = %+v", s)
	}
}

// TestRedisWaitDown: waiters for a lease return when Redis dies or hangs, also if no request comes that
// log reads.
func TestRedisWaitDown(t *testing.T) {
	for name, down := range map[string]func(*redistest.Server){"dead": (*redistest.Server).Kill, "hung": (*redistest.Server).Freeze} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := redistest.StartServer(t)
			r := open(t, Options{URLs: []string{s.URL()}, Brief: 2 * time.Second})
			caughtUp(t, r)
			_, err := r.Find(background, "key", time.Hour)
			must(t, err)
			waits := make(chan error, 1)
			go func() { waits <- r.Wait(background, "key") }()
			eventually(t, "waits", func() bool { return r.Stats().Waiting == 1 })
			down(s)
			select {
			case err := <-waits:
				if err == nil {
					t.Error("Wait returned as if the lease were free")
				}
			case <-time.After(aLongTime):
				t.Error("still waits")
			}
		})
	}
}

func TestRefused(t *testing.T) {
	r := open(t, Options{URLs: []string{redistest.StartServer(t).URL()}, Brief: aLongTime})
	if wrong := (*r.client.Load()).Do(background, "GET").Err(); !refused(wrong) {
		t.Errorf("not refused: %v", wrong)
	}
	for _, err := range []error{ErrDown, redis.ErrClosed, redis.ErrPoolTimeout, context.DeadlineExceeded, io.EOF, redis.Nil} {
		if refused(err) {
			t.Errorf("refused: %v", err)
		}
	}
}
