package service

import (
	"testing"

	"github.com/calfacade/calfacade/cache/testwait"
)

func TestMain(m *testing.M) { testwait.Main(m) }
