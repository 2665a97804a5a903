package writing_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

const createVenue = `POST /venues {"venue":"Hall"}`

// creating is a facade in front of a site that counts the venues which it makes.
type creating struct {
	*facadetest.CachedFacade
	made atomic.Int32
}

// venueNumber is the response to the n-th create.
func venueNumber(n int32) string {
	const item = `{"id":%d,"venue":"Hall","slug":"hall","rest_url":"http://x/","modified_utc":"2026-11-21 10:00:00"}`
	return proxytest.Marked(fmt.Sprintf(item, n))
}

func newCreating(t *testing.T, change func(*proxy.Options)) *creating {
	f := new(creating)
	f.CachedFacade = facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		o.IdempotencyKeys = idempotency.NewMemory()
		if change != nil {
			change(o)
		}
	})
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			facadetest.Sends(http.StatusOK, `{"venues":[],"total":0,"total_pages":0,"rest_url":"http://x/"}`)(w, r)
			return
		}
		w.Header().Set("X-Wp-Nonce", "of-the-first")
		facadetest.Sends(http.StatusCreated, venueNumber(f.made.Add(1)))(w, r)
	})
	return f
}

// create sends a create, and returns its status, the id of the item or the code of the error, and whether it is the response
// to an earlier request.
func (f *creating) create(line string, header ...string) string {
	f.T.Helper()
	res, body := f.Send(line, header...)
	var item struct {
		ID   int
		Code string
	}
	if err := json.Unmarshal([]byte(body), &item); err != nil {
		f.T.Errorf("%s: %v", body, err)
	}
	outcome := fmt.Sprint(res.StatusCode, " ", item.ID)
	if item.Code != "" {
		outcome = fmt.Sprint(res.StatusCode, " ", item.Code)
	}
	if res.Header.Get(idempotency.Replayed) == "true" {
		outcome += " replayed"
	}
	return outcome
}

// TestIdempotencyKey: a create that is repeated with its key makes one item.
func TestIdempotencyKey(t *testing.T) {
	f := newCreating(t, func(o *proxy.Options) {
		o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	for _, step := range []struct {
		line   string
		header []string
		want   string
	}{
		{createVenue, []string{facadetest.Editor, `Idempotency-Key: "a"`}, "201 1"},
		{createVenue, []string{facadetest.Editor, `Idempotency-Key: "a"`}, "201 1 replayed"},
		{createVenue, []string{facadetest.Editor, `Idempotency-Key: a`}, "201 1 replayed"},
		{`POST /venues { "venue" : "Hall" }`, []string{facadetest.Editor, `Idempotency-Key: a`}, "201 1 replayed"},
		{`POST /venues {"venue":"Another"}`, []string{facadetest.Editor, `Idempotency-Key: a`}, "422 calendar_idempotency_key_reused"},
		{`POST /organizers {"organizer":"Hall"}`, []string{facadetest.Editor, `Idempotency-Key: a`}, "422 calendar_idempotency_key_reused"},
		{`POST /es/venues {"venue":"Hall"}`, []string{facadetest.Editor, `Idempotency-Key: a`}, "422 calendar_idempotency_key_reused"},
		{createVenue, []string{facadetest.Editor, `Idempotency-Key: b`}, "201 2"},
		{createVenue, []string{facadetest.Subscriber, `Idempotency-Key: a`}, "201 3"},
		{createVenue, []string{`Idempotency-Key: a`}, "201 4"},
		{createVenue, []string{`Idempotency-Key: a`}, "201 4 replayed"},
		{createVenue, []string{"X-Forwarded-For: 192.0.2.1", `Idempotency-Key: a`}, "201 5"},
		{createVenue, []string{facadetest.Editor}, "201 6"},
		{createVenue, []string{facadetest.Editor}, "201 7"},
		{createVenue, []string{facadetest.Editor, `Idempotency-Key: "`}, "400 calendar_idempotency_key_invalid"},
	} {
		if got := f.create(step.line, step.header...); got != step.want {
			t.Errorf("%s %q: %s, want %s", step.line, step.header, got, step.want)
		}
	}
}

// TestIdempotentResponse: a repetition gets the header fields and bytes of the first response, but the nonce and the id of
// the request, which are of each request.
func TestIdempotentResponse(t *testing.T) {
	f := newCreating(t, func(o *proxy.Options) { o.Cookies = true })
	header := []string{"Cookie: wordpress_logged_in_x=1", "X-WP-Nonce: n", "Idempotency-Key: a"}
	first, body := f.Send(createVenue, header...)
	header[1] = "X-WP-Nonce: later"
	again, same := f.Send(createVenue, header...)
	if body != same {
		t.Errorf("%s\nwant %s", same, body)
	}
	if first.Header.Get("X-Wp-Nonce") == "" || again.Header.Get("X-Wp-Nonce") != "" {
		t.Errorf("nonces %q, %q", first.Header.Get("X-Wp-Nonce"), again.Header.Get("X-Wp-Nonce"))
	}
	for _, name := range []string{"X-Wp-Nonce", "X-Request-Id", "Date", "Cache-Status", idempotency.Replayed} {
		first.Header.Del(name)
		again.Header.Del(name)
	}
	if got, want := fmt.Sprint(again.Header), fmt.Sprint(first.Header); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestRefusedCreateIsRepeated: a create that the site refuses, or that is not sent, leaves no response behind.
func TestRefusedCreateIsRepeated(t *testing.T) {
	for name, fails := range map[string]http.HandlerFunc{
		"refused":     status(http.StatusForbidden, "application/json", `{"code":"rest_forbidden","message":"x","data":{"status":403}}`),
		"unavailable": status(http.StatusServiceUnavailable, "application/json", `{"code":"calendar_x"}`),
	} {
		f := newCreating(t, nil)
		site := *f.Reply.Load()
		f.Answers(fails)
		first := f.create(createVenue, facadetest.Editor, "Idempotency-Key: a")
		f.Answers(site)
		want := "201 1"
		if strings.HasPrefix(first, "504") {
			want = first
		}
		if got := f.create(createVenue, facadetest.Editor, "Idempotency-Key: a"); got != want {
			t.Errorf("%s: %s after %s, want %s", name, got, first, want)
		}
	}
}

// TestUnknownCreateIsNotRepeated: after an unknown outcome a repetition makes no item, and says which one may be it.
func TestUnknownCreateIsNotRepeated(t *testing.T) {
	list := func(items ...string) http.HandlerFunc {
		return facadetest.Sends(http.StatusOK, fmt.Sprintf(`{"venues":[%s],"total":%d,"total_pages":1,"rest_url":"http://x/"}`,
			strings.Join(items, ","), len(items)))
	}
	other := strings.Replace(venueNumber(8), `"venue":"Hall"`, `"venue":"Hall of fame"`, 1)
	old := strings.Replace(venueNumber(9), "2026-11-21", "2026-11-20", 1)
	for name, test := range map[string]struct {
		list http.HandlerFunc
		want string
	}{
		"made":      {list(venueNumber(7)), ": 7."},
		"others":    {list(venueNumber(7), other, old), ": 7."},
		"two":       {list(venueNumber(7), venueNumber(10)), ""},
		"none":      {list(), ""},
		"no answer": {closes, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newCreating(t, nil)
			var writes atomic.Int32
			f.Answers(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					writes.Add(1)
					closes(w, r)
				}
				test.list(w, r)
			})
			for i := range 3 {
				res, body := f.Send(createVenue, facadetest.Editor, "Idempotency-Key: a")
				if res.StatusCode != http.StatusGatewayTimeout || !strings.Contains(body, "calendar_write_outcome_unknown") {
					t.Errorf("%d: %d %s", i, res.StatusCode, body)
				}
				if i > 0 && (test.want == "") == strings.Contains(body, "was made or changed since") || !strings.Contains(body, test.want) && i > 0 {
					t.Errorf("%d: %s, want %q", i, body, test.want)
				}
			}
			if writes.Load() != 1 {
				t.Errorf("%d writes", writes.Load())
			}
		})
	}
}

// TestConcurrentRepetitions: of twenty requests with one key at once, one is sent.
func TestConcurrentRepetitions(t *testing.T) {
	f := newCreating(t, nil)
	site := *f.Reply.Load()
	arrived := make(chan struct{})
	answer := make(chan struct{})
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-answer
		site(w, r)
	})
	var first string
	var requests sync.WaitGroup
	requests.Go(func() { first = f.create(createVenue, facadetest.Editor, "Idempotency-Key: a") })
	<-arrived
	for range 20 {
		res, body := f.Send(createVenue, facadetest.Editor, "Idempotency-Key: a")
		inProgress := res.StatusCode == http.StatusConflict && strings.Contains(body, "calendar_idempotency_in_progress")
		if !inProgress || res.Header.Get("Retry-After") != "1" {
			t.Errorf("%d %s", res.StatusCode, body)
		}
	}
	close(answer)
	requests.Wait()
	if got := f.create(createVenue, facadetest.Editor, "Idempotency-Key: a"); first != "201 1" || got != "201 1 replayed" {
		t.Errorf("%s, then %s", first, got)
	}
}

// unreachable is a store that does not answer from its n-th call on.
type unreachable struct {
	idempotency.Store
	calls atomic.Int32
	from  int32
}

var errStore = errors.New("the store does not answer")

func (u *unreachable) Claim(ctx context.Context, key string, record []byte, life, lease time.Duration) (redisstore.Claimed, error) {
	if u.calls.Add(1) >= u.from {
		return redisstore.Claimed{}, errStore
	}
	return u.Store.Claim(ctx, key, record, life, lease)
}

func (u *unreachable) Record(ctx context.Context, key string, record []byte, life time.Duration) error {
	if u.calls.Add(1) >= u.from {
		return errStore
	}
	return u.Store.Record(ctx, key, record, life)
}

// TestStoreDown: without the store a create with a key is not sent. If the store fails after the write, the client gets the
// response, and a repetition is never sent.
func TestStoreDown(t *testing.T) {
	store := &unreachable{Store: idempotency.NewMemory(), from: 1}
	f := newCreating(t, func(o *proxy.Options) { o.IdempotencyKeys = store })
	if got := f.create(createVenue, facadetest.Editor, "Idempotency-Key: a"); got != "503 calendar_idempotency_unavailable" {
		t.Error(got)
	}
	if got := f.create(createVenue, facadetest.Editor); got != "201 1" {
		t.Errorf("without a key: %s", got)
	}
	store.calls.Store(0)
	store.from = 2
	if got := f.create(createVenue, facadetest.Editor, "Idempotency-Key: a"); got != "201 2" {
		t.Error(got)
	}
	store.from = 10
	got := f.create(createVenue, facadetest.Editor, "Idempotency-Key: a")
	if n := f.made.Load(); got != "504 calendar_write_outcome_unknown" || n != 2 {
		t.Errorf("%s, %d items", got, n)
	}
}

// headerless is a store that loses the header fields of responses.
type headerless struct{ idempotency.Store }

func (h headerless) Record(ctx context.Context, key string, record []byte, life time.Duration) error {
	var members map[string]any
	if err := json.Unmarshal(record, &members); err != nil {
		return err
	}
	members["response"].(map[string]any)["header"] = nil
	record, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return h.Store.Record(ctx, key, record, life)
}

// TestResponseWithoutFields: a response may have no header fields of its own, as errors have none.
func TestResponseWithoutFields(t *testing.T) {
	f := newCreating(t, func(o *proxy.Options) { o.IdempotencyKeys = headerless{idempotency.NewMemory()} })
	for _, want := range []string{"201 1", "201 1 replayed"} {
		if got := f.create(createVenue, facadetest.Editor, "Idempotency-Key: a"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestLookupNeedsSlot: the look for the item of an unknown create is a call like any other that the cache does not answer. A
// client without a slot for it learns that the outcome is unknown, and nothing more.
func TestLookupNeedsSlot(t *testing.T) {
	f := newCreating(t, func(o *proxy.Options) { o.Edge.MaxUncached = 1 })
	f.Answers(closes)
	f.Send(createVenue, facadetest.Editor, "Idempotency-Key: a")
	arrived := make(chan struct{})
	answer := make(chan struct{})
	var calls atomic.Int32
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			close(arrived)
			<-answer
		}
		facadetest.Sends(http.StatusOK, venueNumber(7))(w, r)
	})
	var read sync.WaitGroup
	read.Go(func() { f.Send("GET /venues/7", facadetest.Editor) })
	<-arrived
	if got := f.create(createVenue, facadetest.Editor, "Idempotency-Key: a"); got != "504 calendar_write_outcome_unknown" {
		t.Error(got)
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
	close(answer)
	read.Wait()
}

// TestKeyWithoutEffect: the field is of creates in the neutral namespace, and can be switched off.
func TestKeyWithoutEffect(t *testing.T) {
	f := newCreating(t, func(o *proxy.Options) { o.IdempotencyKeys = nil })
	for _, want := range []string{"201 1", "201 2"} {
		if got := f.create(createVenue, facadetest.Editor, "Idempotency-Key: a"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
