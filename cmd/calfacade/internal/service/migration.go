package service

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache/redisstore"
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

// follow makes the migration follow a configuration, with the decisions in a Redis, which may be nil. setReadOnly switches
// the facade of the configuration.
func (m *migration) follow(c config.Config, l *link, redis *redisstore.Store, setReadOnly func(bool)) {
	var decisions fleet.Store // not a nil pointer in an interface
	if redis != nil {
		decisions = redis
	}
	m.fleet.Configure(context.Background(), stagingPlan(c), l, decisions, setReadOnly)
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

// options returns the options of a migration by a valid configuration.
func (m *migration) options(c config.Config) *proxy.StagingOptions {
	comparer, err := c.Comparer(c.Staging.Candidate)
	if err != nil {
		panic("BUG: the rules were validated: " + err.Error())
	}
	return &proxy.StagingOptions{
		Candidate:   c.Staging.Candidate,
		Matrix:      m.matrix,
		TesterToken: c.Staging.TesterToken.Reveal(),
		Comparer:    comparer,
		Findings:    new(compare.Findings),
	}
}

// optionsAfter returns the options by a configuration after a previous one and its options. The findings stay, unless the
// candidate has changed.
func (m *migration) optionsAfter(previous config.Config, last *proxy.StagingOptions, c config.Config) *proxy.StagingOptions {
	o := m.options(c)
	if stagingPlan(previous).Candidate == stagingPlan(c).Candidate {
		o.Findings = last.Findings
	}
	return o
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
