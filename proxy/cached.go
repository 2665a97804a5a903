package proxy

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// cached answers a read that everybody may share. What has credentials or a
// secret never comes here.
func (f *Facade) cached(x *exchange) error {
	call, choice, from := x.call, x.choice, x.backend
	answer := f.options.Cache.Serve
	if may, err := f.mayRenew(x); err != nil {
		return err
	} else if may {
		answer = f.options.Cache.Renew
	}
	got, err := f.lookup(x, answer, func(ctx context.Context) (cache.Fetched, error) {
		var record upstreamRecord
		who := x.asker()
		if cache.Refreshing(ctx) {
			who = netip.Addr{}
		}
		made, err := f.fetch(x.calls(ctx, who), from, call, choice, &record)
		x.fetched.Store(&record)
		return made, err
	})
	if record := x.fetched.Load(); record != nil {
		x.upstream.join(record)
	}
	if err != nil {
		return err
	}
	x.outcome = telemetry.OutcomeOf(got)
	f.respondEntry(x, got)
	return nil
}

// tokenHeader carries the token of who may have an answer made anew.
const tokenHeader = "X-Calfacade-Token" // #nosec G101 -- the name of a field, and no token

// mayRenew reports whether a request wants a fresh answer (Cache-Control:
// no-cache or max-age=0) and may: nobody else can make the legacy work.
func (f *Facade) mayRenew(x *exchange) (bool, error) {
	if f.options.RenewToken == "" {
		return false, nil
	}
	token := x.in.Header.Get(tokenHeader)
	if token == "" {
		return false, nil
	}
	control := strings.Join(x.in.Header.Values("Cache-Control"), ",")
	if !strings.Contains(control, "no-cache") && !strings.Contains(control, "max-age=0") {
		return false, nil
	}
	may, wait := f.options.Secrets.Check(telemetry.RenewPlace, x.asker(), token, f.options.RenewToken)
	if wait > 0 {
		return false, &problem.Error{Status: http.StatusTooManyRequests, Code: "calendar_rate_limited", Header: problem.RetryAfter(wait)}
	}
	return may, nil
}

// fetch makes the entry for a call: the one place where a shared answer is made,
// from nothing but the call.
func (f *Facade) fetch(ctx context.Context, from *backend, call *mapping.Call, choice i18n.Choice, record *upstreamRecord) (made cache.Fetched, err error) {
	defer caught(f.options.Log, idOf(ctx), &err)
	leave, err := f.edge.AdmitUncached(false)
	if err != nil {
		return cache.Fetched{}, err
	}
	defer leave()
	now, class := f.options.Clock(), upstream.Read
	if cache.Refreshing(ctx) {
		class = upstream.Refresh
	}
	got, err := f.obtain(ctx, from, question{call, choice, identity.Identity{}, class}, record)
	if err != nil {
		return cache.Fetched{}, err
	}
	if class == upstream.Refresh {
		f.stage.offer(record.witness)
		record.witness = nil
	}
	o, said := f.options.Freshness, got.reply.Header
	life := o.Life(call, got.reply.Status, said, now)
	tag := etag(got.body.Body)
	entry := &cache.Entry{
		Status: got.reply.Status,
		Fields: fields(got.header, o.CacheControl(life, said, now), tag),
		ETag:   tag,
		Body:   got.body.Body,
		Tags:   call.Tags(f.spaces[choice.Index], f.options.Site[choice.Index].Code, got.body.Shows),
		Life:   life,
	}
	return cache.Fetched{Entry: entry, Store: life != cache.Life{}, Share: o.Collapses(said, now)}, nil
}

// fields gives the header fields that are the same every time, in order.
func fields(h http.Header, control, tag string) []cache.Field {
	h["Etag"] = []string{tag}
	h["Cache-Control"] = []string{control}
	delete(h, "Expires")
	all := make([]cache.Field, 0, len(h))
	for name, values := range h {
		// Cloned, for net/http has one array for the values of all fields.
		all = append(all, cache.Field{Name: name, Values: slices.Clone(values)})
	}
	slices.SortFunc(all, func(a, b cache.Field) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// varies names what an answer out of the cache depends on, but for CORS.
func varies(cookies bool) string {
	if cookies {
		return "Accept-Encoding, Authorization, Cookie, X-WP-Nonce"
	}
	return "Accept-Encoding, Authorization"
}

// etag is a strong validator: of the neutral body, whatever the legacy said.
//
// It tells versions of an answer apart, and need not withstand who writes two to
// match: all that brings is one's own old text. A SHA-256 in its place is a
// twentieth of a miss of a list (calbench -only misses).
func etag(body []byte) string {
	return fmt.Sprintf(`"%016x"`, xxhash.Sum64(body))
}

// Compress compresses a body with gzip. It returns nil unless that is shorter by a tenth.
func Compress(body []byte) []byte {
	if len(body) < minCompressed {
		return nil
	}
	c := compressors.Get().(*compressor)
	defer c.putBack()
	c.out.Reset()
	c.z.Reset(&c.out)
	// Writing to a buffer does not fail.
	_, _ = c.z.Write(body)
	_ = c.z.Close()
	if c.out.Len() > len(body)*9/10 {
		return nil
	}
	return bytes.Clone(c.out.Bytes())
}

// compressor is a writer with what it writes to.
type compressor struct {
	z   *gzip.Writer
	out bytes.Buffer
}

// maxKept is the largest buffer that waits for the next body, in bytes.
const maxKept = 1 << 20

func (c *compressor) putBack() {
	if c.out.Cap() > maxKept {
		c.out = bytes.Buffer{}
	}
	compressors.Put(c)
}

// compressors are kept because each is most of a megabyte.
var compressors = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, 5)
	if err != nil {
		panic("BUG: gzip level: " + err.Error())
	}
	return &compressor{z: z}
}}

// minCompressed is where an answer and its header fill one packet anyway.
const minCompressed = 1024
