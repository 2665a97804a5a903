package idempotency

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Memory is a [Store] of this process. The records that are no longer held have bounded memory: beyond the bound those
// are forgotten that were not asked for longest.
type Memory struct {
	mu      sync.Mutex
	held    map[string][]byte // records of keys that are held: as many as creates are in progress
	settled *otter.Cache[string, []byte]
}

// MemoryBytes is the memory of the records of a [Memory]: some thousands of usual responses.
const MemoryBytes = 16 << 20

// recordOverhead is the memory of a record beside its texts, in bytes.
const recordOverhead = 200

// NewMemory returns a store without records.
func NewMemory() *Memory {
	return &Memory{
		held: map[string][]byte{},
		settled: otter.Must(&otter.Options[string, []byte]{
			MaximumWeight: MemoryBytes,
			Weigher: func(key string, record []byte) uint32 {
				return uint32(min(len(key)+len(record)+recordOverhead, math.MaxUint32))
			},
			ExpiryCalculator: otter.ExpiryWriting[string, []byte](Life),
		}),
	}
}

// Claim implements [Store].
func (m *Memory) Claim(_ context.Context, key string, record []byte, _, _ time.Duration) (redisstore.Claimed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if previous, ok := m.held[key]; ok {
		return redisstore.Claimed{Record: previous, Held: true}, nil
	}
	if previous, ok := m.settled.GetIfPresent(key); ok {
		return redisstore.Claimed{Record: previous}, nil
	}
	m.held[key] = record
	return redisstore.Claimed{Release: func(context.Context) { m.release(key) }}, nil
}

// Record implements [Store].
func (m *Memory) Record(_ context.Context, key string, record []byte, _ time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if record == nil {
		delete(m.held, key)
		m.settled.Invalidate(key)
		return nil
	}
	m.held[key] = record
	return nil
}

// release moves the record of a key that is no longer held.
func (m *Memory) release(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if record, ok := m.held[key]; ok {
		m.settled.Set(key, record)
		delete(m.held, key)
	}
}
