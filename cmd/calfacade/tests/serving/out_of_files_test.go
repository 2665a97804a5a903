//go:build !race

package serving_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// TestOutOfFiles: a process that may open fewer files than its limits need warns at its start, and when it has none
// for further connections. It serves again once some are closed.
func TestOutOfFiles(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	site := processtest.Serve(t, sim.New(sim.Options{}))
	s := processtest.StartServing(t, "sh", "-c", `ulimit -n 64 && exec "$@"`, "", binary, "serve", "--config", processtest.WriteConfig(t, site, ""))
	s.Expect(`"level":"warn".*"msg":"configuration","problem":"limits.max_connections: the process may open 64 files \(ulimit -n\) and ` +
		`needs 10080, for 10000 connections`)
	address := strings.TrimPrefix(s.Base[:strings.Index(s.Base, "/wp-json")], "http://")
	var conns []net.Conn
	for range 80 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	s.Expect(`"level":"warn".*"msg":"http: Accept error: .*too many open files`)
	for _, c := range conns {
		c.Close()
	}
	if got := <-s.Begin("/events"); got.Status != http.StatusOK {
		t.Errorf("got %+v", got)
	}
}
