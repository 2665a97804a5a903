package walking_test

import (
	"net/http/httptest"
	"path"
	"testing"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/proxy"
)

// TestWalkSetups is TestWalk before sites that have their REST interface, or WordPress,
// elsewhere than usual.
func TestWalkSetups(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	t.Parallel()
	for name, setup := range map[string]sim.Setup{
		"plain":                 {Plain: true},
		"plain in a directory":  {Plain: true, Directory: "blog"},
		"prefix in a directory": {RESTPrefix: "api", Directory: "blog", WordPress: "core"},
	} {
		t.Run(name, func(t *testing.T) {
			legacy := processtest.Serve(t, sim.New(sim.Options{Setup: setup}))
			server := httptest.NewUnstartedServer(nil)
			cfg := config.Demo("http://"+server.Listener.Addr().String(), legacy)
			cfg.PagesURL = legacy + "/shown"
			cfg.Upstream.WordPressURL = legacy + "/core"
			for i := range cfg.Languages {
				l := &cfg.Languages[i]
				l.Upstream = setup.Root()
				if i > 0 {
					l.Upstream = sim.Setup{Directory: path.Join(setup.Directory, l.Code), Plain: setup.Plain,
						RESTPrefix: setup.RESTPrefix}.Root()
				}
				l.Upstream = legacy + l.Upstream
			}
			if err := cfg.Validate(); err != nil {
				t.Fatal(err)
			}
			server.Config.Handler = proxy.New(service.FacadeOptions(cfg, zap.NewNop()))
			server.Start()
			t.Cleanup(server.Close)
			processtest.WalkOver(t, cfg, legacy)
		})
	}
}
