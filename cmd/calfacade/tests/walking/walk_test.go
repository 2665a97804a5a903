package walking_test

import (
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/service/servicetest"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestWalk goes through every row of the table with every method, in every
// language, as the demo is wired. Each kind of thing is listed, created, read,
// updated by each method and deleted, once by its id and once by its slug.
func TestWalk(t *testing.T) {
	cfg, legacy := servicetest.Demo(t)
	processtest.WalkOver(t, cfg, legacy)
}
