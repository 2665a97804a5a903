package main

import (
	"net/http"
	"regexp"
)

// statusPage returns the status page of a process without an admin.token.
func (s serving) statusPage() string {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.admin+"/status/", nil)
	if err != nil {
		s.Fatal(err)
	}
	res, body := send(s.T, r)
	if res.StatusCode != http.StatusOK {
		s.Fatalf("/status/: %s", res.Status)
	}
	return string(body)
}

// value returns the value of a metric without labels, as a scrape shows it; "" without a value.
func (s serving) value(metric string) string {
	s.Helper()
	if m := regexp.MustCompile("(?m)^" + metric + " (.*)$").FindStringSubmatch(s.metrics()); m != nil {
		return m[1]
	}
	return ""
}
