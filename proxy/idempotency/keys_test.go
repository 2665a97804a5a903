package idempotency

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/mapping"
)

var background = context.Background()

func TestParseKey(t *testing.T) {
	long := strings.Repeat("k", maxKey)
	for text, want := range map[string]string{
		`"8e03978e-40d5"`: "8e03978e-40d5",
		`8e03978e-40d5`:   "8e03978e-40d5",
		" \"a\"\t":        "a",
		long:              long,
		`a;b=c`:           "a;b=c",
	} {
		if got, err := ParseKey([]string{text}); got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, values := range [][]string{{""}, {`""`}, {`"a`}, {`a"`}, {"a b"}, {"a\x00"}, {"ä"}, {long + "k"}, {"a", "a"}, {`"a\"b"`}} {
		if got, err := ParseKey(values); err == nil {
			t.Errorf("%q: %q", values, got)
		}
	}
	if got, err := ParseKey(nil); got != "" || err != nil {
		t.Errorf("without a field: %q, %v", got, err)
	}
}

func TestDigest(t *testing.T) {
	digests := map[string][]string{}
	for _, texts := range [][]string{{}, {""}, {"a"}, {"a", ""}, {"ab", "c"}, {"a", "bc"}, {"abc"}} {
		digest := Digest(texts...)
		if other, ok := digests[digest]; ok {
			t.Errorf("%q and %q have one digest", texts, other)
		}
		digests[digest] = texts
	}
}

func newKeys(store Store) *Keys {
	began := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	return &Keys{Store: store, Clock: func() time.Time { return began }}
}

// claimed returns the error of a second claim, or the status of its response.
func claimed(t *testing.T, k *Keys, fingerprint string) (int, error) {
	t.Helper()
	c, response, err := k.Claim(background, "key", fingerprint)
	switch {
	case c != nil:
		t.Fatal("the key was claimed twice")
	case response != nil:
		return response.Status, nil
	}
	return 0, err
}

func TestClaim(t *testing.T) {
	k := newKeys(NewMemory())
	c, response, err := k.Claim(background, "key", "f")
	if c == nil || response != nil || err != nil {
		t.Fatalf("%v, %v, %v", c, response, err)
	}
	if _, err := claimed(t, k, "f"); !errors.Is(err, ErrInProgress) {
		t.Error(err)
	}
	if _, err := claimed(t, k, "g"); !errors.Is(err, ErrOther) {
		t.Error(err)
	}
	field := mapping.HeaderWPTotal // not in the form of net/http
	if err := c.Keep(background, Response{Status: 201, Header: http.Header{field: {"1"}}, Body: []byte("{\xff")}); err != nil {
		t.Error(err)
	}
	_, response, err = k.Claim(background, "key", "f")
	if err != nil || response.Status != 201 || response.Header[field] == nil || !bytes.Equal(response.Body, []byte("{\xff")) {
		t.Errorf("%+v, %v", response, err)
	}
	if _, err := claimed(t, k, "g"); !errors.Is(err, ErrOther) {
		t.Error(err)
	}
}

func TestClaimIsLeft(t *testing.T) {
	for name, settle := range map[string]func(*Claim){
		"unknown":  func(c *Claim) { c.Leave(background) },
		"too long": func(c *Claim) { _ = c.Keep(background, Response{Status: 201, Body: make([]byte, maxBody+1)}) },
	} {
		k := newKeys(NewMemory())
		c, _, _ := k.Claim(background, "key", "f")
		settle(c)
		_, err := claimed(t, k, "f")
		if unknown, ok := errors.AsType[*Unknown](err); !ok || !unknown.Began.Equal(k.Clock()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestClaimIsDropped(t *testing.T) {
	k := newKeys(NewMemory())
	c, _, _ := k.Claim(background, "key", "f")
	if err := c.Drop(background); err != nil {
		t.Error(err)
	}
	if c, _, err := k.Claim(background, "key", "g"); c == nil || err != nil {
		t.Errorf("%v, %v", c, err)
	}
}

// failing is a store that does not answer.
type failing struct{}

var errStore = errors.New("does not answer")

func (failing) Claim(context.Context, string, []byte, time.Duration, time.Duration) (redisstore.Claimed, error) {
	return redisstore.Claimed{}, errStore
}
func (failing) Record(context.Context, string, []byte, time.Duration) error { return errStore }

// foreign is a store with records of another program.
type foreign struct{ failing }

func (foreign) Claim(context.Context, string, []byte, time.Duration, time.Duration) (redisstore.Claimed, error) {
	return redisstore.Claimed{Record: []byte("no JSON")}, nil
}

func TestStoreFails(t *testing.T) {
	for _, store := range []Store{failing{}, foreign{}} {
		c, response, err := newKeys(store).Claim(background, "key", "f")
		if _, isUnknown := errors.AsType[*Unknown](err); c != nil || response != nil || err == nil || isUnknown {
			t.Errorf("%T: %v, %v, %v", store, c, response, err)
		}
	}
}

// TestMemoryIsBounded: settled records beyond the bound are forgotten, and held ones are not.
func TestMemoryIsBounded(t *testing.T) {
	m := NewMemory()
	k := newKeys(m)
	held, _, _ := k.Claim(background, "held", "f")
	for i := range 3 * MemoryBytes / maxBody {
		c, _, _ := k.Claim(background, Digest(string(rune('a'+i))), "f")
		if err := c.Keep(background, Response{Body: make([]byte, maxBody)}); err != nil {
			t.Fatal(err)
		}
	}
	m.settled.CleanUp()
	if size := m.settled.WeightedSize(); size > MemoryBytes || size < MemoryBytes/2 {
		t.Errorf("%d bytes of at most %d", size, MemoryBytes)
	}
	if _, _, err := k.Claim(background, "held", "f"); !errors.Is(err, ErrInProgress) {
		t.Error(err)
	}
	held.Leave(background)
}
