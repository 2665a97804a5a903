package pictures

import "github.com/calfacade/calfacade/cmd/internal/scale"

// Pictures returns the pictures by file name. rows are those of scaling.csv.
func Pictures(rows []scale.Row) map[string]string {
	return map[string]string{
		"rooms.svg":          roomMap(),
		"purge.svg":          lifeOfPurge(),
		"scaling-site.svg":   siteCalls(rows),
		"scaling-redis.svg":  redisCommands(rows),
		"scaling-fronts.svg": frontTraffic(rows),
	}
}
