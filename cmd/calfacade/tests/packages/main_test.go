//go:build !race

package packages_test

import (
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

func TestMain(m *testing.M) { processtest.Main(m) }
