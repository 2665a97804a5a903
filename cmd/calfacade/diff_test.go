package main

import (
	"context"
	"net/http"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy"
)

// twoSites is a differ between two sites that are served at URLs of their own.
func twoSites(t *testing.T, legacy, candidate http.Handler) *differ {
	t.Helper()
	config := demoConfig("http://facade.example", serveTest(t, legacy))
	o := options(config, zap.NewNop())
	there := serveTest(t, candidate)
	o.Backends = []proxy.BackendOptions{{Name: "new", Speech: mapping.Backend{Dialect: mapping.Tribe, LanguageParam: "wpml_language"}, Upstreams: map[string]string{}}}
	for _, l := range demoConfig("", there).Languages {
		o.Backends[0].Upstreams[l.Code] = l.Upstream
	}
	facade := proxy.New(o)
	t.Cleanup(facade.Close)
	f := diffFlags{candidate: "new"}
	one, other, err := f.readers(facade)
	if err != nil {
		t.Fatal(err)
	}
	rules := compare.Default()
	rules.Hosts = []string{hostIn(o.Site[0].Upstream), hostIn(there)}
	c, err := rules.Compile()
	if err != nil {
		t.Fatal(err)
	}
	cells := cellsOf(o.Site.Codes())
	return &differ{
		legacy: f.reader(one), candidate: f.reader(other), rules: c, cells: cells, concurrency: 4,
		result: newResult(cells), progress: newProgress(len(cells), time.Now),
	}
}

func hostIn(url string) string { return url[len("http://"):][:len("127.0.0.1:00000")] }

func TestDiffOfTheSame(t *testing.T) {
	d := twoSites(t, sim.New(sim.Options{}), sim.New(sim.Options{}))
	if err := d.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	d.result.report().print(t.Output())
	t.Log(d.progress.state())
}
