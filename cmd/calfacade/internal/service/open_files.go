package service

import (
	"fmt"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

// filesOfProcess is the number of files that a process opens beside its connections.
const filesOfProcess = 64

// filesWarning returns a warning if a process that may open so many files has too few for the limits in the
// configuration; "" for a process with enough. Idle clients could then take all, and no call to the site
// could be made.
func filesWarning(c config.Config, limit uint64) string {
	reserved := filesOfProcess + c.Upstream.MaxConcurrent*(1+len(c.Backends)) + redisstore.DefaultConnections*len(c.Cache.Redis)
	need := uint64(reserved + c.Limits.MaxConnections)
	if limit == 0 || limit >= need {
		return ""
	}
	return fmt.Sprintf("limits.max_connections: the process may open %d files (ulimit -n) and needs %d, for %d connections of clients and "+
		"%d others: raise the limit, or lower max_connections", limit, need, c.Limits.MaxConnections, reserved)
}
