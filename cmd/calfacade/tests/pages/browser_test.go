//go:build !race

package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/browsertest"
	"github.com/calfacade/calfacade/proxy/docs"
)

// TestBrowserSeesItsWrites: with the defaults, plain fetch in Chromium reads the values that the page has just
// written, and gets 304 for an unchanged response.
func TestBrowserSeesItsWrites(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	cfg := config.Demo("https://api.example.org", processtest.Serve(t, sim.New(sim.Options{Clock: processtest.Noon})))
	cfg.LegacyClients.Enabled = true
	o := service.FacadeOptions(cfg, zap.NewNop())
	c := cache.New(cache.Options{})
	t.Cleanup(c.Close)
	o.Cache = c
	o.Freshness = cfg.Cache.Options
	facade := proxy.New(o)
	t.Cleanup(facade.Close)
	url := processtest.Serve(t, facade)
	p := b.Tab(t, url)
	p.Open(url + "/wp-json/" + mapping.Namespace + docs.Path + "/")
	p.Eval(fmt.Sprintf(`read = async (path) => JSON.stringify(await (await fetch(path)).json());
		write = async (method, path, data) => (await fetch(path, {method, headers: {
			"Authorization": "Basic " + btoa("admin:" + %q), "Content-Type": "application/json",
		}, body: JSON.stringify(data)})).json(); ""`, sim.Users[0].Password))
	for _, list := range []string{mapping.Namespace + "/events", processtest.LegacyNamespace + "/events", mapping.Namespace + "/tags",
		processtest.LegacyNamespace + "/tags"} {
		fields := strings.Replace(processtest.NewItems[list[strings.LastIndexByte(list, '/')+1:]], `"NAME"`, "name", 1)
		missing := p.Await(fmt.Sprintf(`(async (list, fields) => {
			const all = list + "?hide_empty=false&ends_after=1970-01-02&search=zebra", name = "zebra", missing = [];
			const want = (what, is) => is || missing.push(what);
			await read(all);
			const {id} = await write("POST", list, fields(name));
			want("create", (await read(all)).includes(name));
			await read(list + "/" + id);
			await write("PATCH", list + "/" + id, fields(name + ", updated"));
			want("update of the item", (await read(list + "/" + id)).includes("updated"));
			want("update in the list", (await read(all)).includes("updated"));
			performance.clearResourceTimings();
			await read(all);
			const {transferSize, encodedBodySize} = performance.getEntriesByType("resource").at(-1);
			want("304", transferSize > 0 && transferSize < encodedBodySize);
			await write("DELETE", list + "/" + id);
			want("delete", !(await read(all)).includes("updated"));
			return missing.join(", ");
		})("/wp-json/%s", (name) => (%s))`, list, fields))
		if missing != "" {
			t.Errorf("%s: the browser does not see %s", list, missing)
		}
	}
}
