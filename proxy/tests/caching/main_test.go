package caching_test

import (
	"os"
	"testing"

	"github.com/calfacade/calfacade/cache/testwait"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(missVariable); file != "" {
		runMissPeer(file)
		return
	}
	testwait.Main(m)
}
