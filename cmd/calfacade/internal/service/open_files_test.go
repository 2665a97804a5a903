package service

import (
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

func TestFilesWarning(t *testing.T) {
	for _, test := range []struct {
		limit   uint64
		clients int
		redis   []string
		want    string // in the warning; "" without a warning
	}{
		{limit: 0, clients: 10000},
		{limit: 10080, clients: 10000},
		{limit: 10079, clients: 10000, want: "may open 10079 files (ulimit -n) and needs 10080, for 10000 connections of clients and 80 others"},
		{limit: 10080, clients: 10000, redis: []string{"redis://a"}, want: "needs 10104"},
		{limit: 80, clients: 0},
		{limit: 64, clients: 0, want: "may open 64 files (ulimit -n) and needs 80"},
	} {
		c := config.Default()
		c.Limits.MaxConnections = test.clients
		c.Cache.Redis = config.NewSecrets(test.redis)
		got := filesWarning(c, test.limit)
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%+v: got %q", test, got)
		}
	}
}
