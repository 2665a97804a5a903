package service

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
	const down, back = "redis is down, the instance serves from memory and from the site", "redis is back"
	for name, test := range map[string]struct {
		steps []step
		want  []string // time since the start, and record
	}{
		"an outage": {[]step{{time.Second, refused}, {time.Hour, nil}}, []string{"1s " + down, "1h0m1s " + back}},
		"two outages, far apart": {[]step{{0, refused}, {time.Second, nil}, {time.Minute, refused}, {time.Second, nil}},
			[]string{"0s " + down, "1s " + back, "1m1s " + down, "1m2s " + back}},
		"flapping": {slices.Repeat([]step{{time.Second, refused}, {time.Second, nil}}, 7), []string{
			"1s " + down, "2s " + back, "3s " + down, "4s " + back, "5s " + down, "6s " + back, "7s " + down, "8s " + back, "9s " + down,
			"10s " + back}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				core, records := observer.New(zap.InfoLevel)
				changed := logOutages(zap.New(core))
				for _, s := range test.steps {
					time.Sleep(s.wait)
					changed(s.cause)
				}
				synctest.Wait()
				var got []string
				for _, r := range records.All() {
					got = append(got, fmt.Sprint(r.Time.Sub(began), " ", r.Message))
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		})
	}
}
