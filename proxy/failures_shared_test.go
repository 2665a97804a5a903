package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

func TestSharedFailures(t *testing.T) {
	call := mapping.WidestLists()[0]
	for _, test := range []struct {
		err  error
		want string
	}{
		{callFailed(call, fmt.Errorf("%w: %w", upstream.ErrNoAnswer, context.DeadlineExceeded)), "calendar_upstream_timeout"},
		{callFailed(call, upstream.ErrNoAnswer), "calendar_upstream_failed"},
		{statusError(call, mapping.Request{}, upstream.Response{Reply: mapping.Reply{Status: http.StatusServiceUnavailable}}, true),
			"calendar_upstream_unavailable"},
		{invalid(rewrite.ErrNotJSON), "calendar_upstream_invalid"},
		{callFailed(call, upstream.ErrShed), ""},
		{callFailed(call, upstream.ErrOpen), ""},
		{callFailed(call, context.Canceled), ""},
		{errPanic, ""},
	} {
		code := failureCode(test.err)
		if code != test.want {
			t.Errorf("%v: code %q, want %q", test.err, code, test.want)
		}
		if code == "" {
			continue
		}
		var sent, got *problem.Error
		if !errors.As(test.err, &sent) || !errors.As(failureOf(code), &got) || got.Status != sent.Status || got.Code != sent.Code {
			t.Errorf("%q means %v, want %v", code, got, sent)
		}
	}
	for _, foreign := range []string{"", "x", "200:calendar_upstream_failed", "calendar_new"} {
		var got *problem.Error
		if !errors.As(failureOf(foreign), &got) || got.Status != http.StatusServiceUnavailable {
			t.Errorf("%q means %v", foreign, got)
		}
	}
}
