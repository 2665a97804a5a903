package main

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/problem"
)

func TestChoose(t *testing.T) {
	configured := []string{"en", "es", "de"}
	for _, test := range []struct{ asked, want, err string }{
		{"", "en,de", ""},
		{"de,en", "en,de", ""},
		{"fr", "", `"fr" is not one of the configured languages`},
		{"de,es", "", `the candidate has no upstream for "es"`},
		{"de,", "", `"" is not one of the configured languages`},
	} {
		f := surveyFlags{languages: test.asked}
		got, err := f.choose(configured, func(code string) bool { return code != "es" })
		if strings.Join(got, ",") != test.want || test.err == "" && err != nil || test.err != "" &&
			(err == nil || err.Error() != test.err) {
			t.Errorf("%q: got %v, %v; want %s, %s", test.asked, got, err, test.want, test.err)
		}
	}
}

func TestAskedToWait(t *testing.T) {
	later := func(seconds string) error {
		return &problem.Error{Status: 503, Header: http.Header{"Retry-After": {seconds}}}
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
