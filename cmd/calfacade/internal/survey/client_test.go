package survey

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

func TestAskedToWait(t *testing.T) {
	later := func(seconds string) error {
		return &statusError{status: 503, header: http.Header{"Retry-After": {seconds}}}
	}
	for _, test := range []struct {
		err  error
		want time.Duration
	}{
		{errors.New("no"), 0},
		{later("7"), 7 * time.Second},
		{later("600"), time.Minute},
		{later("-1"), 0},
	} {
		if got := retryAfter(test.err); got != test.want {
			t.Errorf("%v: got %v, want %v", test.err, got, test.want)
		}
	}
}
