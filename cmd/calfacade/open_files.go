package main

import (
	"os"
	"regexp"
	"strconv"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

// otherFiles are the files of a process that are no connections of clients or to backends: to Redis, of
// the admin listener, the log.
const otherFiles = 100

// filesNeeded returns how many files a process opens at the limits of its configuration.
func filesNeeded(c config.Config) int {
	return c.Limits.MaxConnections + (len(c.Languages)+len(c.Backends))*c.Upstream.MaxConcurrent + otherFiles
}

var openFiles = regexp.MustCompile(`(?m)^Max open files +([0-9]+) `)

// processLimits returns the limits of this process; "" if the system is not Linux. Go has raised the soft
// limit of open files to the hard one.
func processLimits() string {
	data, _ := os.ReadFile("/proc/self/limits")
	return string(data)
}

// warnOfFewFiles logs that the process may open fewer files than the configuration needs.
func warnOfFewFiles(c config.Config, limits string, log *zap.Logger) {
	found := openFiles.FindStringSubmatch(limits)
	if found == nil {
		return
	}
	if most, err := strconv.Atoi(found[1]); err == nil && most < filesNeeded(c) {
		log.Warn("few file descriptors: connections of clients or to the site will fail before limits.max_connections and upstream.max_concurrent apply",
			zap.Int("allowed", most), zap.Int("needed", filesNeeded(c)))
	}
}
