package main

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestRedisLog(t *testing.T) {
	refused := errors.New("connection refused")
	type step struct {
		wait  time.Duration
		cause error
	}
	flapping := slices.Repeat([]step{{time.Second, refused}, {time.Second, nil}}, 20)
	const down, back = "redis is down, the instance serves from memory and from the site", "redis is back"
	for name, test := range map[string]struct {
		steps []step
		want  []string // time since the start, and record
	}{
		"an outage": {[]step{{time.Second, refused}, {time.Hour, nil}}, []string{"1s " + down, "1h0m1s " + back}},
		"two outages, far apart": {[]step{{0, refused}, {time.Second, nil}, {time.Minute, refused}, {time.Second, nil}},
			[]string{"0s " + down, "1s " + back, "1m1s " + down, "1m2s " + back}},
		"flapping": {flapping, []string{"1s " + down, "2s " + back}},
		"flapping, then down": {append(slices.Clone(flapping), step{time.Second, refused}, step{time.Hour, nil}),
			[]string{"1s " + down, "2s " + back, "1m1s " + down + " 19", "1h0m41s " + back}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				core, records := observer.New(zap.InfoLevel)
				l := newRedisLog(zap.New(core))
				for _, s := range test.steps {
					time.Sleep(s.wait)
					l.changed(s.cause)
				}
				synctest.Wait()
				var got []string
				for _, r := range records.All() {
					line := fmt.Sprint(r.Time.Sub(began), " ", r.Message)
					if n, ok := r.ContextMap()["earlier_outages_not_logged"]; ok {
						line += fmt.Sprint(" ", n)
					}
					got = append(got, line)
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		})
	}
}
