//go:build !race

package instances_test

import (
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestRedisRecipes runs two instances with the URLs of each recipe, whose hosts and passwords
// become the ones of real servers: they share a response and a purge.
func TestRedisRecipes(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	recipes := processtest.ReadFile(t, processtest.Repository+"/docs/recipes/redis.md")
	for name, start := range map[string]func(testing.TB) redistest.Topology{
		"One server": redistest.StartPassword,
		"Cluster":    redistest.StartCluster,
		"Sentinel": func(t testing.TB) redistest.Topology {
			return redistest.Topology{URLs: redistest.StartSentinel(t).URLs()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			block := regexp.MustCompile("(?s)\n### " + name + "\n.*?```yaml\n(.*?)```").FindStringSubmatch(recipes)
			if block == nil {
				t.Fatal("no recipe")
			}
			var recipe struct {
				Cache map[string]any
			}
			if err := yaml.Unmarshal([]byte(block[1]), &recipe); err != nil {
				t.Fatal(err)
			}
			recipe.Cache["redis"] = reachable(t, recipe.Cache["redis"].([]any), start(t).URLs)
			recipe.Cache["redis_timeout"] = "5s"
			text, err := yaml.Marshal(map[string]any{"cache": recipe.Cache, "admin": map[string]any{"token": processtest.TestToken}})
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			calls := map[string]int{} // by path
			site := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				calls[path.Base(r.URL.Path)]++
				mu.Unlock()
				_, _ = io.WriteString(w, proxytest.Marked(`{"id":`+path.Base(r.URL.Path)+`}`))
			}))
			status := func(s processtest.Serving, id string) int {
				s.Get("/events/" + id)
				mu.Lock()
				defer mu.Unlock()
				return calls[id]
			}
			a := processtest.StartServe(t, processtest.Build(t), site, string(text))
			b := processtest.StartServe(t, processtest.Build(t), site, string(text))
			// On a busy machine a call to Redis may time out: the next entry is tried then, and a
			// purge is sent again.
			var id string
			number := 100
			b.Eventually("an entry of one instance serves the other", func() bool {
				number++
				id = strconv.Itoa(number)
				status(a, id)
				return status(b, id) == 1
			})
			a.Purge(`{"type":"event","id":` + id + `}`)
			b.Eventually("a purge at one instance purges the other", func() bool { return status(b, id) == 2 })
		})
	}
}

// reachable replaces the hosts and passwords of URLs by the ones of servers.
func reachable(t *testing.T, urls []any, servers []string) []string {
	t.Helper()
	var reached []string
	for i, server := range servers {
		target, err := url.Parse(urls[min(i, len(urls)-1)].(string))
		if err != nil {
			t.Fatal(err)
		}
		source, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		target.Host = source.Host
		target.User = source.User
		if q := target.Query(); q.Has("password") {
			q.Del("password") // the servers have no password
			target.RawQuery = q.Encode()
		}
		reached = append(reached, target.String())
	}
	return reached
}
