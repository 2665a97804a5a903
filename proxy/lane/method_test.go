package lane_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestOverriddenMethod: a POST that means another method is not the lane's, and is routed, counted
// and logged as what it means. A GET stays one, in the lane.
func TestOverriddenMethod(t *testing.T) {
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
	s.Logs.TakeAll()
	for _, test := range []struct{ method, override, want string }{
		{"GET", "DELETE", "200 in the lane, GET venues.read"},
		{"HEAD", "DELETE", "200 in the lane, HEAD venues.read"},
		{"POST", "delete", "503 DELETE venues.delete"}, // read-only mode
		{"POST", "PATCH", "503 PATCH venues.update"},
		{"POST", "POST", "503 POST venues.update"},
		{"POST", "GET", "400 POST <nil>"},
		{"PUT", "DELETE", "503 PUT venues.update"},
	} {
		c := s.Dial()
		handled := s.Handled.Load()
		c.Say(test.method + " /wp-json/calendar/events/v1/venues/7 HTTP/1.1\r\nHost: x\r\nX-HTTP-Method-Override: " +
			test.override + "\r\n\r\n")
		res, err := http.ReadResponse(c.Reader, &http.Request{Method: test.method})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		facadetest.Eventually(t, "the request is logged", func() bool { return s.Logs.Len() > 0 }) // after its response
		record := s.Logs.TakeAll()[0].ContextMap()
		got := fmt.Sprint(res.StatusCode, " ")
		if s.Handled.Load() == handled {
			got += "in the lane, "
		}
		got += fmt.Sprint(record["method"], " ", record["endpoint"])
		if got != test.want {
			t.Errorf("%s, %s: got %s, want %s", test.method, test.override, got, test.want)
		}
	}
	const deleted = `calfacade_requests_total{cache="none",endpoint="venues.delete",language="en",method="write",status="5xx"}`
	if n := s.Counts()[deleted]; n != 1 {
		t.Errorf("%d DELETE are counted", n)
	}
}
