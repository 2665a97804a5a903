package proxy

import (
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/staging"
)

// StagingOptions configure the migration of calls from the legacy to a candidate, and are its [Switch]. The zero value
// disables the migration.
type StagingOptions struct {
	Candidate   string          // name of a backend
	Matrix      *staging.Matrix // state of the migration; outlives the facade
	TesterToken string          // with which a request reaches the candidate whatever the state; "" disables testers

	// Comparer compares the responses of both backends, in the background, after the client has its
	// response; nil compares nothing.
	Comparer *compare.Comparer
	Limits   staging.Limits    // of comparisons
	Findings *compare.Findings // outlives the facade
}
