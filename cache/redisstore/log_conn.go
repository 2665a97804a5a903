package redisstore

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

// logConn is a client for log reads, which knows nothing of earlier masters and slots.
type logConn struct {
	client redis.UniversalClient
	ready  chan struct{} // closed once the node of the log has answered, or err is set
	node   redis.Cmdable // of client, the one that has the log
	err    error

	dialed atomic.Bool // client has opened a connection since the last check
}

// dialLogConn makes a connection. It connects in the background, and for longer than a log read may take: a connection that
// each log read began again would never come about with a Redis that is far away.
func (b *base) dialLogConn() *logConn {
	c := &logConn{ready: make(chan struct{})}
	c.client = b.dial(func(o *redis.UniversalOptions) {
		o.PoolSize = 1
		o.PoolTimeout = b.options.Timeout
		o.OnConnect = func(context.Context, *redis.Conn) error {
			c.dialed.Store(true)
			return nil
		}
	})
	go func() {
		defer close(c.ready)
		ctx, cancel := context.WithTimeout(b.ctx, connecting)
		defer cancel()
		if c.node, c.err = nodeOf(ctx, c.client, b.logKey); c.err == nil {
			c.err = c.node.Ping(ctx).Err()
		}
	}()
	return c
}

// connected waits until the connection has answered.
func (c *logConn) connected(ctx context.Context) error {
	select {
	case <-c.ready:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// broken reports whether the connection failed.
func (c *logConn) broken() bool {
	select {
	case <-c.ready:
		return c.err != nil
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

// logConns has the connection in use. The probe of a Redis that is down waits for it outside of a log read: no request
// waits meanwhile.
type logConns struct {
	base *base

	mu   sync.Mutex
	conn *logConn // nil: the next log read begins one
}

// current returns the connection in use, and begins one unless there is one.
func (s *logConns) current() *logConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil && s.conn.broken() {
		s.close()
	}
	if s.conn == nil {
		s.conn = s.base.dialLogConn()
	}
	return s.conn
}

// ready reports whether the connection in use has answered.
func (s *logConns) ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return false
	}
	select {
	case <-s.conn.ready:
		return s.conn.err == nil
	default:
		return false
	}
}

// drop gives up the connection in use.
func (s *logConns) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
}

func (s *logConns) close() {
	if s.conn != nil {
		_ = s.conn.client.Close()
		s.conn = nil
	}
}
