package sim

import (
	"strconv"
	"time"
)

const dateTime = "2006-01-02 15:04:05"

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func endOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 23, 59, 59, 0, t.Location())
}

// localTime returns the time at which a clock in loc shows what t shows.
func localTime(t time.Time, loc *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, loc)
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
