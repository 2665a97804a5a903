package main

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// TestRedisRecipes runs two instances with the URLs of each recipe, whose hosts and passwords
// become those of real servers: they share a response and a purge.
func TestRedisRecipes(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	recipes := readFile(t, "../../docs/recipes/redis.md")
	for name, start := range map[string]func(testing.TB) redistest.Topology{
		"One server": redistest.StartPassword,
		"Cluster":    redistest.StartCluster,
		"Sentinel": func(t testing.TB) redistest.Topology {
			return redistest.Topology{URLs: redistest.StartSentinel(t).URLs()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := regexp.MustCompile("(?s)\n### " + name + "\n.*?```yaml\n(.*?)```").FindStringSubmatch(recipes)
			if shown == nil {
				t.Fatal("no recipe")
			}
			var recipe struct {
				Cache map[string]any
			}
			if err := yaml.Unmarshal([]byte(shown[1]), &recipe); err != nil {
				t.Fatal(err)
			}
			recipe.Cache["redis"] = reachable(t, recipe.Cache["redis"].([]any), start(t).URLs)
			text, err := yaml.Marshal(map[string]any{"cache": recipe.Cache, "admin": map[string]any{"token": testToken}})
			if err != nil {
				t.Fatal(err)
			}
			var calls atomic.Int32
			site := serveTest(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/events/12") {
					calls.Add(1)
				}
				_, _ = io.WriteString(w, `{"id":12}`)
			}))
			read := func(s serving, want int32) {
				s.get("/events/12")
				if got := calls.Load(); got != want {
					t.Errorf("%d calls to the site, want %d", got, want)
				}
			}
			a, b := startServe(t, build(t), site, string(text)), startServe(t, build(t), site, string(text))
			for _, s := range []serving{a, b} {
				s.eventually("both follow the log", func() bool {
					return strings.Contains(s.metrics(), "calfacade_redis_log_followers 2\n")
				})
			}
			read(a, 1)
			read(b, 1)
			a.purge(`{"type":"event","id":12}`)
			read(b, 2)
		})
	}
}

// reachable replaces the hosts and passwords of URLs by those of servers.
func reachable(t *testing.T, shown []any, servers []string) []string {
	t.Helper()
	var all []string
	for i, server := range servers {
		to, err := url.Parse(shown[min(i, len(shown)-1)].(string))
		if err != nil {
			t.Fatal(err)
		}
		from, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		to.Host, to.User = from.Host, from.User
		if q := to.Query(); q.Has("password") {
			q.Del("password") // the servers have none
			to.RawQuery = q.Encode()
		}
		all = append(all, to.String())
	}
	return all
}
