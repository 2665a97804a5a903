package idempotency

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// Store keeps a record for each key. A [redisstore.Store] keeps the records of all instances, a [Memory] those of
// this process.
type Store interface {
	// Claim stores a record under key for life, unless the key has one. One caller gets the key, and holds it until it
	// calls Release; if the process ends before, for a lease.
	Claim(ctx context.Context, key string, record []byte, life, lease time.Duration) (redisstore.Claimed, error)

	// Record replaces the record of a claimed key for life; a nil record removes it.
	Record(ctx context.Context, key string, record []byte, life time.Duration) error
}

// Life is how long a response is kept.
const Life = 24 * time.Hour

// lease is for how long a key stays held after the end of the process that holds it.
const lease = 3 * time.Second

// maxBody is the longest body that is kept, in bytes: some hundred times as long as a usual item.
const maxBody = 1 << 20

// Errors of Claim.
var (
	ErrInProgress = errors.New("idempotency: a request with this key is in progress")
	ErrOther      = errors.New("idempotency: the key belongs to another request")
)

// Unknown is the error of Claim for a key whose request may or may not have made an item: its outcome is unknown, or the
// process that sent it has ended.
type Unknown struct {
	Began time.Time // by the clock of the process that sent the request
}

func (*Unknown) Error() string {
	return "idempotency: the outcome of the request with this key is unknown"
}

// Response is a response that is kept.
type Response struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// record is the state of a key.
type record struct {
	Fingerprint string    `json:"fingerprint"` // of the request
	Began       time.Time `json:"began"`
	Response    *Response `json:"response,omitempty"` // nil: the request is in progress, or its outcome is unknown
}

// Keys are the keys of all clients.
type Keys struct {
	Store Store
	Clock func() time.Time
}

// Claim is a key that this process holds.
type Claim struct {
	keys    *Keys
	key     string
	record  record
	release func(context.Context)
}

// Claim claims a key for a request with a fingerprint. If the key was claimed before, there is no claim, and either the
// response to the first request or an error: [ErrInProgress], [ErrOther], an [Unknown], or an error of the store. After an
// error of the store the request must not be sent: another instance may have sent it.
func (k *Keys) Claim(ctx context.Context, key, fingerprint string) (*Claim, *Response, error) {
	c := &Claim{keys: k, key: key, record: record{Fingerprint: fingerprint, Began: k.Clock().UTC()}}
	claimed, err := k.Store.Claim(ctx, key, c.record.encode(), Life, lease)
	if err != nil {
		return nil, nil, err
	}
	if claimed.Release != nil {
		c.release = claimed.Release
		return c, nil, nil
	}
	var previous record
	if err := json.Unmarshal(claimed.Record, &previous); err != nil {
		return nil, nil, err
	}
	switch {
	case previous.Fingerprint != fingerprint:
		return nil, nil, ErrOther
	case previous.Response != nil:
		return nil, previous.Response, nil
	case claimed.Held:
		return nil, nil, ErrInProgress
	}
	return nil, nil, &Unknown{Began: previous.Began}
}

func (r *record) encode() []byte {
	text, err := json.Marshal(r)
	if err != nil {
		panic("BUG: a record does not encode: " + err.Error())
	}
	return text
}

// Keep settles the claim with the response that every repetition gets. After an error a repetition gets an [Unknown].
func (c *Claim) Keep(ctx context.Context, response Response) error {
	defer c.release(ctx)
	if len(response.Body) > maxBody {
		return errors.New("idempotency: the response is too long to be kept")
	}
	c.record.Response = &response
	return c.keys.Store.Record(ctx, c.key, c.record.encode(), Life)
}

// Leave settles the claim of a request whose outcome is unknown: every repetition gets an [Unknown].
func (c *Claim) Leave(ctx context.Context) { c.release(ctx) }

// Drop settles the claim of a request that has changed nothing: a repetition is sent. After an error of the store it gets
// an [Unknown].
func (c *Claim) Drop(ctx context.Context) error {
	defer c.release(ctx)
	return c.keys.Store.Record(ctx, c.key, nil, 0)
}
