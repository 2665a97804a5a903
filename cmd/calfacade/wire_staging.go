package main

import (
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/staging"
)

// stagingPlan turns a valid configuration into the plan of the matrix.
func stagingPlan(c config.Config) staging.Plan {
	plan := c.StagingPlan()
	plan.Candidate = candidateOf(c)
	return plan
}

// candidateOf returns the zero value where there is none.
func candidateOf(c config.Config) staging.Candidate {
	for _, b := range backendOptions(c.Backends) {
		if b.Name == c.Staging.Candidate {
			return b.Candidate()
		}
	}
	return staging.Candidate{}
}

// stagingOptions turns a valid configuration into the options of a facade. The matrix
// and the findings outlive the facade.
func stagingOptions(c config.Staging, matrix *staging.Matrix, findings *compare.Findings) proxy.StagingOptions {
	comparer, err := c.Compare.Comparer()
	if err != nil {
		panic("BUG: the rules were validated: " + err.Error())
	}
	return proxy.StagingOptions{
		Candidate:   c.Candidate,
		Matrix:      matrix,
		TesterToken: c.TesterToken.Reveal(),
		Shadow: proxy.ShadowOptions{
			Share:       c.Shadow.Share,
			Credentials: c.Shadow.Credentials,
			Comparer:    comparer,
			Findings:    findings,
		},
	}
}

// logStaging logs a change of the staging matrix.
func logStaging(log *zap.Logger, c staging.Change) {
	if c.Mode != "" {
		log.Warn("mode", zap.String("to", c.Mode), zap.String("who", c.Who), zap.String("why", c.Why), zap.Uint64("version", c.Version), zap.String("instance", c.Instance))
		return
	}
	var cells []string
	for _, cell := range c.Cells {
		cells = append(cells, cell.String())
	}
	log.Warn("staging", zap.Strings("cells", cells), zap.Stringer("to", c.To), zap.String("who", c.Who), zap.String("why", c.Why),
		zap.Uint64("version", c.Version), zap.String("instance", c.Instance))
}
