package audit

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// world is an instance: a cache in front of a site, and an auditor.
type world struct {
	*place
	t      *testing.T
	spaces mapping.TagSpaces
	read   func(id int) *mapping.Call
	list   *mapping.Call

	cache    *cache.Cache
	ledger   *Ledger
	auditor  *Auditor
	log      bytes.Buffer
	untagged bool // entries lack the tags of their items
}

// place is a site with events.
type place struct {
	mu       sync.Mutex
	titles   []string // by id; "" has no event
	reads    int
	random   *rand.Rand
	restless bool // a member differs in each response
	down     bool
}

func newPlace(events int) *place {
	p := &place{random: rand.New(rand.NewPCG(1, 2)), titles: make([]string, events+1)}
	for i := range events {
		p.titles[i+1] = "first"
	}
	return p
}

// newWorld returns an instance without Redis, with a site of its own. It is for a bubble of synctest, so
// that time passes only while all wait.
func newWorld(t *testing.T, events int, change func(*Options)) *world {
	t.Helper()
	return newInstance(t, newPlace(events), cache.Options{}, change)
}

func newInstance(t *testing.T, site *place, stored cache.Options, change func(*Options)) *world {
	t.Helper()
	w := &world{t: t, place: site, spaces: mapping.NewTagSpaces(1, func(int) []string { return []string{"en"} }), ledger: new(Ledger)}
	row := mappingtest.Row(t, "events.read")
	w.read = func(id int) *mapping.Call {
		call, err := mapping.Parse(row, http.MethodGet, mapping.Input{Item: strconv.Itoa(id)}, mapping.Drop)
		if err != nil {
			t.Fatal(err)
		}
		return call
	}
	var err error
	if w.list, err = mappingtest.ParseQuery(t, "events.list", "start_date=2020-01-01&end_date=2040-01-01"); err != nil || w.list.ByClock() {
		t.Fatal(err, w.list.ByClock())
	}
	stored.Purged = w.ledger.Purged
	w.cache = cache.New(stored)
	comparer, err := compare.Rules{}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "msg"}), zapcore.AddSync(&w.log), zapcore.DebugLevel)
	o := Options{Interval: 100 * time.Millisecond, Ledger: w.ledger, Cache: w.cache, Comparer: comparer, Log: zap.New(core)}
	if change != nil {
		change(&o)
	}
	w.auditor = New(o)
	t.Cleanup(w.cache.Close)
	t.Cleanup(w.auditor.Close)
	return w
}

// delay waits up to a maximum.
func (p *place) delay(most time.Duration) {
	p.mu.Lock()
	d := time.Duration(p.random.Int64N(int64(most)))
	p.mu.Unlock()
	time.Sleep(d)
}

// number returns a random number below n.
func (p *place) number(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.IntN(n)
}

// answer is what the site says; 0 is the list.
func (p *place) answer(id int) (compare.Document, []mapping.Item) {
	p.delay(30 * time.Millisecond)
	d, shows := p.state(id)
	p.delay(30 * time.Millisecond)
	return d, shows
}

func (p *place) state(id int) (compare.Document, []mapping.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads++
	var items []string
	var shows []mapping.Item
	for i, title := range p.titles {
		if title == "" || id > 0 && i != id {
			continue
		}
		restless := ""
		if p.restless {
			restless = fmt.Sprintf(`,"random":%d`, p.random.Int())
		}
		items = append(items, fmt.Sprintf(`{"id":%d,"title":%q%s}`, i, title, restless))
		shows = append(shows, mapping.Item{Resource: "events", ID: strconv.Itoa(i)})
	}
	switch {
	case id > 0 && items == nil:
		return compare.Document{Status: 404, Body: []byte(`{"code":"rest_post_invalid_id"}`)}, nil
	case id > 0:
		return compare.Document{Status: 200, Body: []byte(items[0])}, shows
	}
	return compare.Document{Status: 200, Body: []byte(`{"events":[` + strings.Join(items, ",") + `],"total":` + strconv.Itoa(len(items)) + `}`)}, shows
}

// get is the request of a client, for an event or with 0 the list. It returns the body.
func (w *world) get(id int) string {
	call, key := w.list, "list"
	if id > 0 {
		call, key = w.read(id), "event "+strconv.Itoa(id)
	}
	got, err := w.cache.Serve(context.Background(), w.cache.Look(), key, func(context.Context) (cache.Fetched, error) {
		d, shows := w.answer(id)
		tags := call.Tags(w.spaces[0], "en", shows)
		if w.untagged {
			tags = []string{"en:events"}
		}
		e := &cache.Entry{Status: d.Status, ETag: `"` + string(d.Body) + `"`, Body: d.Body, Tags: tags, Life: cache.Life{Fresh: 10 * time.Minute, StaleIfError: time.Hour}}
		if d.Status != 200 {
			e.Life = cache.Life{Fresh: 10 * time.Second, Negative: true}
		}
		return cache.Fetched{Entry: e, Store: true, Share: true}, nil
	})
	if err != nil {
		w.t.Error(err)
		return ""
	}
	if got.How == cache.Hit && w.auditor.Wants() {
		w.auditor.Audit(Sample{Key: key, Call: call, Shown: call.Path(), Backend: "legacy", Language: "en", Tags: w.spaces[0], Read: func(context.Context) (compare.Document, error) {
			if w.down {
				return compare.Document{}, context.DeadlineExceeded
			}
			d, _ := w.answer(id)
			return d, nil
		}})
	}
	return string(got.Entry.Body)
}

// edit changes an event on the site.
func (p *place) edit(id int, title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.titles[id] = title
}

// purge is what the plugin sends for an event.
func (w *world) purge(id int) {
	w.cache.Purge(context.Background(), cache.Purge{Tags: w.spaces.Purges("events", strconv.Itoa(id), ""), From: cache.FromHTTP})
}

// write is a write through the facade.
func (w *world) write(id int, title string) {
	tags := w.spaces.Purges("events", strconv.Itoa(id), "")
	sent := w.cache.Announce(context.Background(), tags)
	w.delay(50 * time.Millisecond)
	w.edit(id, title)
	w.delay(300 * time.Millisecond)
	sent.Purge(context.Background(), cache.Purge{Tags: tags, From: cache.FromWrite})
}

// browse has clients read an event, or the list, for a while.
func (w *world) browse(id int, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		w.get(id)
	}
}
