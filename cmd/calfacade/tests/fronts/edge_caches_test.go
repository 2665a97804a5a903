//go:build !race

package fronts_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// cacheInFront is a real cache in front of a facade, with its shipped file.
type cacheInFront struct {
	*testing.T
	base string // of the cache
	edge freshness.Surrogate

	facade *httptest.Server // that the cache asks
	first  *httptest.Server // another instance, whose entries the facade finds in Redis; nil without Redis
	cache  *cache.Cache     // of the facade
	ahead  atomic.Int64     // of the clocks of instances and Redis, in nanoseconds
	site   struct {
		version atomic.Int32
		calls   atomic.Int32
		down    atomic.Bool
	}
	mu       sync.Mutex
	requests map[string]int // requests that reached the facade, by path
	keys     []string       // of the entries that instances have stored in Redis
	item     int            // that the last step used
}

// cachesInFront start a cache in front of an address, and return its own.
var cachesInFront = map[string]struct {
	edge  freshness.Surrogate
	start func(t *testing.T, facade string) string
}{
	"varnish": {freshness.Surrogate{Tags: "xkey", Lifetime: "cache-control"}, startVarnish},
	"nginx":   {freshness.Surrogate{Tags: "none", Lifetime: "x-accel-expires"}, startCachingNginx},

	"varnish by surrogate-control": {freshness.Surrogate{Tags: "xkey", Lifetime: "surrogate-control"}, startTargeted("Surrogate-Control")},
	"varnish by cdn-cache-control": {freshness.Surrogate{Tags: "xkey", Lifetime: "cdn-cache-control"}, startTargeted("CDN-Cache-Control")},
}

func startVarnish(t *testing.T, facade string) string { return startVarnishWith(t, facade, "") }

// startTargeted starts a Varnish that reads lifetimes from a field instead of Cache-Control, which by
// itself it does not.
func startTargeted(field string) func(t *testing.T, facade string) string {
	return func(t *testing.T, facade string) string {
		return startVarnishWith(t, facade, strings.ReplaceAll(`
import std;
sub vcl_backend_response {
    if (beresp.http.FIELD ~ "max-age=[0-9]") {
        set beresp.ttl = std.duration(regsub(beresp.http.FIELD, "^.*max-age=([0-9]+).*$", "\1s"), 0s)
            - std.duration(beresp.http.Age + "s", 0s);
        set beresp.grace = 0s;
    }
    if (beresp.http.FIELD ~ "stale-while-revalidate=[0-9]") {
        set beresp.grace = std.duration(regsub(beresp.http.FIELD, "^.*stale-while-revalidate=([0-9]+).*$", "\1s"), 0s);
    }
}
sub vcl_deliver {
    unset resp.http.FIELD;
}
`, "FIELD", field))
	}
}

func startVarnishWith(t *testing.T, facade, rules string) string {
	program := processtest.FrontServer{Program: "varnishd"}.Find(t)
	if files, _ := filepath.Glob("/usr/lib/*/varnish/vmods/libvmod_xkey.so"); len(files) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("Varnish has no vmod xkey")
		}
		t.Skip("Varnish has no vmod xkey (apt-get install varnish-modules)")
	}
	shipped := processtest.ReadFile(t, processtest.Repository+"/docs/deploy/varnish/default.vcl")
	vcl := strings.Replace(shipped, `"8080"`, `"`+portOf(facade)+`"`, 1) + rules
	return startCaching(t, vcl, func(file, dir, address string) *exec.Cmd {
		return exec.Command(program, "-F", "-j", "none", "-a", address, "-f", file, "-n", filepath.Join(dir, "work"), "-s", "malloc,16m")
	})
}

func startCachingNginx(t *testing.T, facade string) string {
	program := processtest.FrontServer{Program: "nginx"}.Find(t)
	address := processtest.FreeAddress(t)
	dir := t.TempDir()
	text := strings.NewReplacer("/var/cache/nginx/calfacade", dir+"/stored", "127.0.0.1:8080", facade, "listen 80", "listen "+address).
		Replace(processtest.ReadFile(t, processtest.Repository+"/docs/deploy/nginx/front-cache.conf"))
	text = fmt.Sprintf("daemon off; pid %s/pid; error_log stderr; user %s; events {} http {\naccess_log off; client_body_temp_path "+
		"%[1]s/body; proxy_temp_path %[1]s/proxied;\n%[3]s}\n",
		dir, processtest.CurrentUser(t), text)
	return processtest.StartCachingAt(t, address, text, func(file, _, _ string) *exec.Cmd { return exec.Command(program, "-e", "stderr", "-c", file) })
}

func startCaching(t *testing.T, text string, command func(file, dir, address string) *exec.Cmd) string {
	return processtest.StartCachingAt(t, processtest.FreeAddress(t), text, command)
}

// newCacheInFront starts a facade and a cache in front of it. change may be nil.
func newCacheInFront(t *testing.T, name string, change func(*config.Config)) *cacheInFront {
	t.Helper()
	f := newFacadeInFront(t, name, change)
	f.start(name)
	return f
}

// newFacadeInFront starts a facade without the cache.
func newFacadeInFront(t *testing.T, name string, change func(*config.Config)) *cacheInFront {
	t.Helper()
	f := &cacheInFront{T: t, edge: cachesInFront[name].edge, requests: map[string]int{}, item: 100}
	f.site.version.Store(1)
	site := processtest.Serve(t, http.HandlerFunc(f.serveSite))
	cfg := processtest.MinimalConfig(t)
	cfg.Languages = cfg.Languages[:1]
	cfg.Languages[0].Upstream = site + "/wp-json"
	cfg.Edge.Tags = f.edge.Tags
	cfg.Edge.Lifetime = f.edge.Lifetime
	cfg.DocsPage = true
	if change != nil {
		change(&cfg)
	}
	if len(cfg.Cache.Redis) > 0 {
		f.first, _ = f.instance(cfg)
	}
	f.facade, f.cache = f.instance(cfg)
	return f
}

func (f *cacheInFront) start(name string) {
	f.Helper()
	f.base = cachesInFront[name].start(f.T, strings.TrimPrefix(f.facade.URL, "http://"))
}

// instance starts an instance.
func (f *cacheInFront) instance(cfg config.Config) (*httptest.Server, *cache.Cache) {
	f.Helper()
	clock := func() time.Time { return time.Now().Add(time.Duration(f.ahead.Load())) }
	opts := cache.Options{Clock: clock}
	if len(cfg.Cache.Redis) > 0 {
		o := redisstore.Options{URLs: cfg.Cache.Redis.Reveal(), Timeout: cfg.Cache.RedisTimeout}
		o.Brief, o.Timeout = processtest.Patience, processtest.Patience // a call given up on a busy machine would look like a miss
		r, err := redisstore.Open(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { _ = r.Close() })
		opts.Shared = aheadOf{Shared: r, cache: f}
	}
	c := cache.New(opts)
	f.Cleanup(c.Close)
	if opts.Shared != nil {
		processtest.Eventually(f.T, "the purge log is known", c.ReadLog)
	}
	o := service.FacadeOptions(cfg, zap.NewNop())
	o.Cache = c
	o.Freshness = cfg.Cache.Options
	o.Clock = clock
	o.MaxURL = 3 << 10 // the caches in front pass this on
	facade := proxy.New(o)
	f.Cleanup(facade.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.requests[r.URL.RequestURI()]++
		f.mu.Unlock()
		facade.ServeHTTP(w, r)
	}))
	f.Cleanup(server.Close)
	return server, c
}

func (f *cacheInFront) serveSite(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	w.Header().Set("Content-Type", "application/json")
	f.site.calls.Add(1)
	switch {
	case f.site.down.Load():
		w.WriteHeader(http.StatusInternalServerError)
	case id == "404":
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, `{"code":"event-not-found","message":"None","data":{"status":404}}`)
	default:
		proxytest.WriteItem(w, `{"id":%s,"title":"version %d %s"}`, id, f.site.version.Load(), strings.Repeat("of it ", 400))
	}
}

// gotten is the response that a client of the cache got.
type gotten struct {
	status  int
	header  http.Header
	version int
	reached bool // the facade
}

// get requests an item of the cache. fields are names and values.
func (f *cacheInFront) get(method string, item int, fields ...string) (g gotten) {
	f.Helper()
	return f.getFrom(f.base, method, item, fields...)
}

func (f *cacheInFront) getFrom(base, method string, item int, fields ...string) (g gotten) {
	f.Helper()
	return f.getPath(base, method, "/wp-json/calendar/events/v1/events/"+strconv.Itoa(item), fields...)
}

func (f *cacheInFront) getPath(base, method, path string, fields ...string) (g gotten) {
	f.Helper()
	count := f.count(path)
	s := &siteFront{T: f.T}
	if len(fields) == 0 {
		fields = []string{"Accept-Encoding", "identity"}
	}
	res, body := s.ask(http.DefaultTransport, method, base+path, "", fields...)
	g = gotten{status: res.StatusCode, header: res.Header, reached: f.count(path) > count}
	if _, text, ok := strings.Cut(body, `"version `); ok {
		_, _ = fmt.Sscan(text, &g.version)
	}
	for _, name := range []string{"Xkey", "X-Accel-Expires", "Surrogate-Control"} {
		if base == f.base && res.Header.Get(name) != "" {
			f.Errorf("the client got %s: %s", name, res.Header.Get(name))
		}
	}
	return g
}

func (f *cacheInFront) count(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests[path]
}

// lifetime returns the field that has the lifetime for the cache, and how the directive begins.
func (f *cacheInFront) lifetime() (field, directive string) {
	if f.edge.Lifetime == "surrogate-control" || f.edge.Lifetime == "cdn-cache-control" {
		return f.edge.Lifetime, "max-age="
	}
	return "Cache-Control", "s-maxage="
}

// stored requests an item at the facade, where it is stored, and returns it with its lifetime in the
// cache. With Redis it is stored there, and in the other instance.
func (f *cacheInFront) stored() (item, maxAge int) {
	f.Helper()
	f.item++
	server := f.facade
	if f.first != nil {
		server = f.first
	}
	g := f.getFrom(server.URL, http.MethodGet, f.item)
	field, directive := f.lifetime()
	_, text, _ := strings.Cut(g.header.Get(field), directive)
	if _, err := fmt.Sscan(strings.SplitN(text, ",", 2)[0], &maxAge); err != nil || g.status != http.StatusOK {
		f.Fatalf("%d %v", g.status, g.header)
	}
	if f.first != nil {
		processtest.Eventually(f.T, "the entry is in Redis", func() bool { return f.isInRedis(f.item) })
	}
	return f.item, maxAge
}

// isInRedis reports whether an instance has stored an item in Redis.
func (f *cacheInFront) isInRedis(item int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.keys, func(key string) bool { return strings.Contains(key, ":"+strconv.Itoa(item)+":") })
}

// storesNothing: the cache asks the facade for an item each time.
func (f *cacheInFront) storesNothing(name string, item, status int, fields ...string) {
	f.Helper()
	for range 3 {
		if g := f.get(http.MethodGet, item, fields...); g.status != status || !g.reached {
			f.Errorf("%s: %d, asked %t: %v", name, g.status, g.reached, g.header)
		}
	}
}

// comesToStore waits until the cache serves an item by itself.
func (f *cacheInFront) comesToStore(name, method string, item int, fields ...string) (g gotten) {
	f.Helper()
	processtest.Eventually(f.T, name+" is served by the cache", func() bool {
		g = f.get(method, item, fields...)
		return !g.reached
	})
	return g
}

// untilNew waits until the cache has the new version of an item. It may serve the old one by
// itself as long as mayBeOld.
func (f *cacheInFront) untilNew(name string, item int, mayBeOld func(time.Time) bool) {
	f.Helper()
	new := f.site.version.Load()
	processtest.Eventually(f.T, name+": the new version is served", func() bool {
		began := time.Now()
		g := f.get(http.MethodGet, item)
		if g.version < int(new) && !g.reached && !mayBeOld(began) {
			f.Fatalf("%s: served the old version by itself: %v", name, g.header)
		}
		return g.version == int(new)
	})
}

func never(time.Time) bool { return false }

func (f *cacheInFront) pass(d time.Duration) { f.ahead.Add(int64(d)) }

// TestCachesInFront: over the whole life of an entry a real cache serves the same as the facade would.
func TestCachesInFront(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	for name := range cachesInFront {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newCacheInFront(t, name, nil).wholeLife()
		})
		t.Run(name+" at the end of a life", func(t *testing.T) {
			t.Parallel()
			f := newCacheInFront(t, name, func(c *config.Config) {
				c.Cache.StaleWhileRevalidate = 0
				c.Cache.StaleIfError = 0
			})
			f.endsWithTheFacade()
		})
	}
}

// wholeLife makes the events in the life of an entry.
func (f *cacheInFront) wholeLife() {
	f.Helper()
	f.storesFresh()
	f.storesNoStale()
	f.storesNothingPending()
	f.storesErrors()
	f.storesNothingOfTheFacade()
	f.storesNothingOfOthers()
	if f.edge.Tags != "none" {
		f.purgesByKey()
	}
}

// endsWithTheFacade: a response that is old when the cache gets it is stored for the rest of its life.
func (f *cacheInFront) endsWithTheFacade() {
	f.Helper()
	item, maxAge := f.stored()
	f.pass(time.Duration(maxAge-1) * time.Second)
	f.site.version.Add(1)
	f.comesToStore("an old response", http.MethodGet, item)
	end := time.Now().Add(3 * time.Second) // the lifetime is max-age and one to two seconds
	f.untilNew("at the end of its life", item, func(now time.Time) bool { return now.Before(end) })
}

func (f *cacheInFront) storesFresh() {
	f.Helper()
	item, _ := f.stored()
	f.getFrom(f.facade.URL, http.MethodGet, item)
	f.pass(20 * time.Second)
	calls := f.site.calls.Load()
	g := f.get(http.MethodGet, item)
	if f.site.calls.Load() != calls {
		f.Errorf("the facade asks the site for what is stored: %v", g.header)
	}
	age, _ := strconv.Atoi(g.header.Get("Age"))
	if !g.reached || age < 20 {
		f.Errorf("a hit: asked %t, %v", g.reached, g.header)
	}
	g = f.comesToStore("a hit", http.MethodGet, item)
	f.comesToStore("HEAD", http.MethodHead, item)
	if again := f.get(http.MethodGet, item, "If-None-Match", g.header.Get("Etag"), "Accept-Encoding",
		"identity"); again.status != http.StatusNotModified || again.reached {
		f.Errorf("If-None-Match: %d, asked %t: %v", again.status, again.reached, again.header)
	}
	if g := f.comesToStore("gzip", http.MethodGet, item, "Accept-Encoding", "gzip"); g.header.Get("Content-Encoding") != "gzip" {
		f.Errorf("gzip: %v", g.header)
	}
}

// storesNoStale: a response that the facade serves stale is not stored, and the new version is seen at once.
func (f *cacheInFront) storesNoStale() {
	f.Helper()
	item, _ := f.stored()
	f.site.version.Add(1)
	f.pass(65 * time.Second)
	f.untilNew("stale while revalidating", item, never)

	item, _ = f.stored()
	f.pass(10 * time.Minute)
	f.site.down.Store(true)
	f.storesNothing("stale on error", item, http.StatusOK)
	f.site.down.Store(false)
	f.site.version.Add(1)
	f.untilNew("after errors", item, never)

	item, _ = f.stored()
	f.site.version.Add(1)
	f.cache.Purge(f.Context(), cache.Purge{Tags: []string{"events:" + strconv.Itoa(item)}, Soft: true})
	f.untilNew("after a soft purge", item, never)
	f.comesToStore("the new version", http.MethodGet, item)
}

func (f *cacheInFront) storesNothingPending() {
	f.Helper()
	item, _ := f.stored()
	write := f.cache.Announce(f.Context(), []string{"events:" + strconv.Itoa(item)})
	f.storesNothing("during a write", item, http.StatusOK)
	write.Withdraw()
	f.comesToStore("after a write that changed nothing", http.MethodGet, item)
}

func (f *cacheInFront) storesErrors() {
	f.Helper()
	if g := f.get(http.MethodGet, 404); g.status != http.StatusNotFound {
		f.Errorf("no such item: %d %v", g.status, g.header)
	}
	f.comesToStore("a negative response", http.MethodGet, 404)
	f.site.down.Store(true)
	f.storesNothing("an error", 9999, http.StatusBadGateway)
	f.site.down.Store(false)
	f.storesNothing("an error of the facade", -1, http.StatusNotFound)
}

// storesNothingOfTheFacade: a response that no purge reaches is fetched each time.
func (f *cacheInFront) storesNothingOfTheFacade() {
	f.Helper()
	for request, want := range map[string]int{
		"GET ": 200, "GET /doc": 200, "GET /docs/": 200, "OPTIONS /events": 200,
		"GET /nothing": 404, "GET /events?page=x": 400, "DELETE /docs/": 405, "GET /events?search=" + strings.Repeat("x", 3<<10): 414,
	} {
		method, path, _ := strings.Cut(request, " ")
		path = "/wp-json/calendar/events/v1" + path
		for range 3 {
			if g := f.getPath(f.base, method, path); g.status != want || !g.reached {
				f.Errorf("%.40s: %d, asked %t: %v", request, g.status, g.reached, g.header)
			}
		}
	}
}

// storesNothingOfOthers: neither gets a client the response of another, nor does the cache get keys.
func (f *cacheInFront) storesNothingOfOthers() {
	f.Helper()
	item, _ := f.stored()
	f.storesNothing("with credentials", item, http.StatusOK, "Authorization", "Basic YTpi")
	if g := f.getFrom(f.facade.URL, http.MethodGet, item, "Authorization",
		"Basic YTpi"); g.header.Get("Cache-Control") != "private, no-store" || g.header.Get("Xkey") != "" {
		f.Errorf("with credentials: %v", g.header)
	}
	f.comesToStore("without credentials", http.MethodGet, item)
	f.storesNothing("with credentials, once it is stored", item, http.StatusOK, "Authorization", "Basic YTpi")
}

// purgesByKey: a purge by a key reaches the responses with the tag and no other.
func (f *cacheInFront) purgesByKey() {
	f.Helper()
	first, _ := f.stored()
	second, _ := f.stored()
	for _, test := range []struct {
		key                   string
		firstGone, secondGone bool
	}{{"events:" + strconv.Itoa(first), true, false}, {"events:any", true, true}, {"all", true, true}, {"venues:7 all", true,
		true}, {"venues:7", false, false}} {
		f.comesToStore("one", http.MethodGet, first)
		f.comesToStore("two", http.MethodGet, second)
		(&siteFront{T: f.T}).ask(http.DefaultTransport, "PURGE", f.base, "", "xkey", test.key)
		if a, b := f.get(http.MethodGet, first), f.get(http.MethodGet, second); a.reached != test.firstGone || b.reached != test.secondGone {
			f.Errorf("after a purge of %s: asked for one %t, for two %t", test.key, a.reached, b.reached)
		}
	}
}
