package main

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/control"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// migration is the door of all that only a migration needs: "calfacade serve" reaches the packages below
// proxy/staging through this file alone. Its state outlives configurations.
type migration struct {
	matrix *staging.Matrix
	fleet  *fleet.Fleet // decides with the other instances
	log    *zap.Logger
}

// link connects a migration to the store of a configuration.
type link = fleet.Link

func newMigration(instance string, log *zap.Logger) *migration {
	matrix := staging.NewMatrix(time.Now, func(c staging.Change) { logStaging(log, c) })
	return &migration{
		matrix: matrix,
		fleet:  fleet.New(fleet.Options{Matrix: matrix, Instance: instance, Log: log}),
		log:    log,
	}
}

// run adds up the numbers of all instances until ending is closed.
func (m *migration) run(ending <-chan struct{}) { m.fleet.Run(ending) }

// link returns the link to a Redis that is opened with the link's method Decided.
func (m *migration) link() *link { return m.fleet.Link() }

// follow makes g the generation whose configuration, Redis and facade the migration follows.
func (m *migration) follow(g *generation) {
	var decisions fleet.Store // not a nil pointer in an interface
	if g.store.redis != nil {
		decisions = g.store.redis
	}
	m.fleet.Configure(context.Background(), stagingPlan(g.config), g.store.link, decisions, func(readOnly bool) {
		g.facade.SetReadOnly(readOnly || g.options.Edge.ReadOnly)
	})
}

// control returns the migration as operators see it.
func (m *migration) control(c config.Config, o *proxy.StagingOptions) admin.Migration {
	return &control.Control{
		Matrix:   m.matrix,
		Fleet:    m.fleet,
		Findings: o.Findings,
		Token:    c.Admin.Token.Reveal(),
		Log:      m.log,
	}
}

// metrics returns the metrics of the migration while a facade is the current one.
func (m *migration) metrics(f *proxy.Facade) telemetry.Source {
	return control.Metrics{Matrix: m.matrix, Fleet: m.fleet, Dropped: f.Dropped}
}

// options returns the options of a migration by a valid configuration, after a previous generation, which may be nil.
func (m *migration) options(c config.Config, previous *generation) *proxy.StagingOptions {
	comparer, err := c.Comparer(c.Staging.Candidate)
	if err != nil {
		panic("BUG: the rules were validated: " + err.Error())
	}
	return &proxy.StagingOptions{
		Candidate:   c.Staging.Candidate,
		Matrix:      m.matrix,
		TesterToken: c.Staging.TesterToken.Reveal(),
		Comparer:    comparer,
		Findings:    findingsOf(c, previous),
	}
}

// findingsOf returns the store for findings of a generation of c: the store of the previous generation,
// unless the candidate has changed.
func findingsOf(c config.Config, previous *generation) *compare.Findings {
	if previous != nil && stagingPlan(previous.config).Candidate == stagingPlan(c).Candidate {
		return previous.staging.Findings
	}
	return new(compare.Findings)
}

// stagingPlan turns a valid configuration into the plan of the matrix.
func stagingPlan(c config.Config) staging.Plan {
	plan := c.StagingPlan()
	if c.Staging.Candidate != "" {
		plan.Candidate = proxy.CandidateOf(backendOptions(c.Backend(c.Staging.Candidate)))
	}
	return plan
}

// logStaging logs a change of the staging matrix.
func logStaging(log *zap.Logger, c staging.Change) {
	level := zap.InfoLevel
	if c.Who == staging.ByRollback {
		level = zap.WarnLevel
	}
	if c.Mode != "" {
		log.Log(level, "mode", zap.String("to", c.Mode), zap.String("who", c.Who), zap.String("why", c.Why),
			zap.Uint64("version", c.Version), zap.String("instance", c.Instance))
		return
	}
	var cells []string
	for _, cell := range c.Cells {
		cells = append(cells, cell.String())
	}
	log.Log(level, "staging", zap.Strings("cells", cells), zap.Stringer("to", c.To), zap.String("who", c.Who), zap.String("why", c.Why),
		zap.Uint64("version", c.Version), zap.String("instance", c.Instance))
}
