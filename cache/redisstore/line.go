package redisstore

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

// line is a client for log reads, which knows nothing of earlier masters and slots.
type line struct {
	client redis.UniversalClient
	ready  chan struct{} // closed once the node of the log has answered, or err is set
	node   redis.Cmdable // of client, the one that has the log
	err    error

	dialed atomic.Bool // client has opened a connection since the last check
}

// dialLine makes a line. It connects in the background, and for longer than a log read may take: a line that each log
// read began again would never connect to a Redis that is far away.
func (b *base) dialLine() *line {
	l := &line{ready: make(chan struct{})}
	l.client = b.dial(func(o *redis.UniversalOptions) {
		o.PoolSize = 1
		o.PoolTimeout = b.options.Timeout
		o.OnConnect = func(context.Context, *redis.Conn) error {
			l.dialed.Store(true)
			return nil
		}
	})
	go func() {
		defer close(l.ready)
		ctx, cancel := context.WithTimeout(b.ctx, connecting)
		defer cancel()
		if l.node, l.err = nodeOf(ctx, l.client, b.logKey()); l.err == nil {
			l.err = l.node.Ping(ctx).Err()
		}
	}()
	return l
}

// connected waits until the line has answered.
func (l *line) connected(ctx context.Context) error {
	select {
	case <-l.ready:
		return l.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// broken reports whether the line could not connect.
func (l *line) broken() bool {
	select {
	case <-l.ready:
		return l.err != nil
	default:
		return false
	}
}

// nodeOf returns the node that has key: a transaction with commands that have no key (INFO)
// must not be spread over a cluster. If the key moves to another node, this one answers
// with an error, and the next log read connects again.
func nodeOf(ctx context.Context, c redis.UniversalClient, key string) (redis.Cmdable, error) {
	cluster, ok := c.(*redis.ClusterClient)
	if !ok {
		return c, nil
	}
	return cluster.MasterForKey(ctx, key)
}

// lines are the line in use. The probe of a Redis that is down waits for it outside of a log read, so that no request
// waits meanwhile.
type lines struct {
	base *base

	mu   sync.Mutex
	line *line // nil: the next log read begins one
}

// current returns the line in use, and begins one unless there is one.
func (s *lines) current() *line {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != nil && s.line.broken() {
		s.close()
	}
	if s.line == nil {
		s.line = s.base.dialLine()
	}
	return s.line
}

// ready reports whether the line in use has answered.
func (s *lines) ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line == nil {
		return false
	}
	select {
	case <-s.line.ready:
		return s.line.err == nil
	default:
		return false
	}
}

// drop gives up the line in use.
func (s *lines) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
}

func (s *lines) close() {
	if s.line != nil {
		_ = s.line.client.Close()
		s.line = nil
	}
}
