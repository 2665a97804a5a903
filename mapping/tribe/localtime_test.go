package tribe

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

func mustZone(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// inLocalTime converts a call for a site in a zone.
func inLocalTime(c *mapping.Call, zone *time.Location, now time.Time) (*mapping.Call, error) {
	env := mapping.Environment{Now: now, Zone: func(context.Context) (*time.Location, error) { return zone, nil }}
	t := &client{backend: backend{legacy}, env: env}
	return t.inLocalTime(context.Background(), c)
}

func TestInLocalTime(t *testing.T) {
	london := mustZone(t, "Europe/London")
	for _, test := range []struct{ body, want string }{
		{`{"start_date":"2027-03-01T18:00:00+05:00","end_date":"2027-03-01T20:00:00+05:00","timezone":"Europe/Berlin"}`,
			`{"timezone":"Europe/Berlin","start_date":"2027-03-01 14:00:00","end_date":"2027-03-01 16:00:00"}`},
		{`{"start_date":"2027-07-01T18:00:00Z","end_date":"2027-07-01 20:00:00"}`,
			`{"start_date":"2027-07-01 19:00:00","end_date":"2027-07-01 20:00:00"}`},
		{`{"start_date":"1804269600","end_date":"1804276800","timezone":"Europe/Berlin"}`,
			`{"timezone":"Europe/Berlin","start_date":"2027-03-05 19:00:00","end_date":"2027-03-05 21:00:00"}`},
		{`{"start_date":"2027-03-01 18:00:00","end_date":"2027-03-02"}`, `{"start_date":"2027-03-01 18:00:00","end_date":"2027-03-02"}`},
		{`{"start_date":"tomorrow","end_date":"+2 days"}`, `{"start_date":"tomorrow","end_date":"+2 days"}`},
		{`{"date":"2027-07-01T18:00:00-05:00","timezone":"Europe/Berlin"}`, `{"date":"2027-07-02 00:00:00","timezone":"Europe/Berlin"}`},
		{`{"date_utc":"2027-07-01T18:00:00-05:00"}`, `{"date_utc":"2027-07-01 23:00:00"}`},
		{`{"start_date":"2027-03-01T18:00:00Z","end_date":"2027-03-01T20:00:00Z","timezone":"UTC+5.5"}`,
			`{"timezone":"UTC+5.5","start_date":"2027-03-01 23:30:00","end_date":"2027-03-02 01:30:00"}`},
		{`{"start_date":"2027-10-30T23:30:00Z","end_date":"2027-10-31T02:00:00Z"}`,
			`{"start_date":"2027-10-31 00:30:00","end_date":"2027-10-31 02:00:00"}`},
		{`{"start_date":"2027-10-31T00:30:00Z","end_date":"2027-10-31T02:00:00Z"}`, "start_date:shown_twice"},
		{`{"start_date":"2027-10-31T01:30:00Z","end_date":"2027-10-31T02:00:00Z"}`, "start_date:shown_twice"},
		{`{"start_date":"2027-03-01T18:00:00Z","end_date":"2027-03-01T20:00:00Z","timezone":"UTC+14"}`, "start_date:zone end_date:zone"},
		{`{"start_date":"2027-03-01T18:00:00Z","end_date":"2027-03-01T20:00:00Z","timezone":"Mars/Base"}`, "start_date:zone end_date:zone"},
		{`{"start_date":"2027-03-01 18:00:00 America/New_York","end_date":"2027-03-02 Europe/Rome","timezone":"UTC"}`,
			`{"timezone":"UTC","start_date":"2027-03-01 23:00:00","end_date":"2027-03-01 23:00:00"}`},
		{`{"start_date":"2027-03-01 18:00:00 CET","end_date":"2027-03-02"}`, "start_date:date_zone"},
		{`{"start_date":"Tue Jul 20 2027 12:00:00 GMT+0000","end_date":"7/20/2027, 1:00:00 PM UTC"}`,
			`{"start_date":"2027-07-20 13:00:00","end_date":"2027-07-20 14:00:00"}`},
		{`{"start_date":"noon 2027-07-20 UTC","end_date":"@1816088400 +1 hour"}`, "start_date:words_zone end_date:words_zone"},
		{`{"start_date":"tomorrow 10:00 UTC","end_date":"tomorrow 14:00 Europe/Berlin"}`, // on which it is July 2 since 22:00
			`{"start_date":"2026-07-02 11:00:00","end_date":"2026-07-03 13:00:00"}`},
		{`{"start_date":"tomorrow 10:00Z","end_date":"+2 days +02:00","timezone":"Asia/Kathmandu"}`,
			`{"timezone":"Asia/Kathmandu","start_date":"2026-07-02 15:45:00","end_date":"2026-07-04 05:15:00"}`},
		{`{"start_date":"10:00 tomorrow UTC","end_date":"tomorrow 11:00 CET"}`, "start_date:words_zone end_date:words_zone"},
		{`{"start_date":"tomorrow 10:00 UTC","end_date":"tomorrow 09:00 UTC"}`, "end_date:backwards"},
		{`{"start_date":"2027-03-02","end_date":"2027-03-01 23:00:00"}`, "end_date:backwards"},
		{`{"start_date":"2027-03-01 18:00:00","end_date":"2027-03-01","all_day":true}`,
			`{"all_day":true,"start_date":"2027-03-01 18:00:00","end_date":"2027-03-01"}`},
		{`{"start_date":"2027-03-01 18:00:00","end_date":"2027-03-01"}`, "end_date:backwards"},
		{`{"start_date":"2027-03-01T18:00:00Z","end_date":"2027-03-01T20:00:00+05:00"}`, "end_date:backwards"},
	} {
		call := parseBody(t, "events.update", "5", "", test.body)
		done, err := inLocalTime(call, london, time.Date(2026, 7, 1, 23, 30, 0, 0, time.UTC))
		got := reasons(err)
		if err == nil {
			got = string(preview(legacy, done, "").Body)
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.body, got, test.want)
		}
	}
}

func TestNeedsSiteZone(t *testing.T) {
	for body, want := range map[string]bool{
		`{"start_date":"2027-03-01T18:00:00Z"}`:                             true,
		`{"start_date":"2027-03-01T18:00:00Z","timezone":"Europe/Berlin"}`:  false,
		`{"start_date":"2027-03-01T18:00:00Z","timezone":""}`:               true,
		`{"date":"2027-03-01T18:00:00Z","timezone":"Europe/Berlin"}`:        true,
		`{"date_utc":"2027-03-01T18:00:00Z"}`:                               false,
		`{"start_date":"2027-03-01 18:00:00","date":"2027-03-01 18:00:00"}`: false,
	} {
		call := parseBody(t, "events.update", "5", "", body)
		if got := needsSiteZone(call); got != want {
			t.Errorf("%s: got %t", body, got)
		}
	}
}

// TestInstantsSurvive: a written local time identifies one instant, in many zones and around their
// changes, or it is refused.
func TestInstantsSurvive(t *testing.T) {
	zones := []string{"Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia",
		"Africa/Casablanca", "UTC"}
	refused := 0
	n := 0
	for _, name := range zones {
		zone := mustZone(t, name)
		instants := shownIn(zone)
		p := &mapping.Param{Name: "start_date", Kind: mapping.DateTime, Zone: mapping.SiteZone}
		for instant := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC); instant.Year() == 2027; instant = instant.Add(30 * time.Minute) {
			call := &mapping.Call{Fields: []mapping.Written{{Arg: mapping.Arg{Param: p, Text: fmt.Sprintf("@%d", instant.Unix())}}}}
			local, err := inLocalTime(call, zone, instant)
			if err != nil {
				refused++
				continue
			}
			n++
			text := local.Fields[0].Text
			if got := instants[text]; len(got) != 1 || !got[0].Equal(instant) {
				t.Fatalf("%s: %s is written as %s, which is %s", name, instant, text, got)
			}
		}
	}
	if refused == 0 || refused*1000 > n {
		t.Errorf("%d refused of %d", refused, n)
	}
}

// shownIn lists, by local time in a zone, the instants of 2027 and of some days before and
// after.
func shownIn(zone *time.Location) map[string][]time.Time {
	instants := map[string][]time.Time{}
	end := time.Date(2028, 1, 3, 0, 0, 0, 0, time.UTC)
	for instant := time.Date(2026, 12, 30, 0, 0, 0, 0, time.UTC); instant.Before(end); instant = instant.Add(15 * time.Minute) {
		text := instant.In(zone).Format(time.DateTime)
		instants[text] = append(instants[text], instant)
	}
	return instants
}

// TestWholeDays: the end of an all-day event is sent on its last day, wherever the site's days end
// (recordings settings/cutoff-*-create-all-day).
func TestWholeDays(t *testing.T) {
	for _, test := range []struct{ name, body, item, start, end string }{
		{"from 00:00", `{"title":"T"}`, `"start_date":"2027-06-01 00:00:00","end_date":"2027-06-02 23:59:59"`, "2027-06-01 00:00:00",
			"2027-06-02 23:59:59"},
		{"from 06:00", `{"title":"T"}`, `"start_date":"2027-06-02 06:00:00","end_date":"2027-06-04 05:59:59"`, "2027-06-02 06:00:00",
			"2027-06-03 23:59:59"},
		{"from 12:00", `{"title":"T"}`, `"start_date":"2027-06-03 12:00:00","end_date":"2027-06-05 11:59:59"`, "2027-06-03 12:00:00",
			"2027-06-04 23:59:59"},
		{"one day", `{"title":"T"}`, `"start_date":"2027-06-03 12:00:00","end_date":"2027-06-04 11:59:59"`, "2027-06-03 12:00:00",
			"2027-06-03 23:59:59"},
		{"another start", `{"start_date":"2027-05-30"}`, `"start_date":"2027-06-02 06:00:00","end_date":"2027-06-04 05:59:59"`,
			"2027-05-30",
			"2027-06-03 23:59:59"},
		{"another end", `{"end_date":"2027-06-05"}`, `"start_date":"2027-06-02 06:00:00","end_date":"2027-06-04 05:59:59"`,
			"2027-06-02 06:00:00",
			"2027-06-05"},
		{"another end, as shown", `{"end_date":"2027-06-05 05:59:59"}`,
			`"start_date":"2027-06-02 06:00:00","end_date":"2027-06-04 05:59:59"`,
			"2027-06-02 06:00:00", "2027-06-04 23:59:59"},
		{"both, as shown", `{"start_date":"2027-07-02 06:00","end_date":"2027-07-04T05:59:59"}`,
			`"start_date":"2027-06-02 06:00:00","end_date":"2027-06-04 05:59:59"`, "2027-07-02 06:00:00", "2027-07-03 23:59:59"},
		{"both, as days", `{"start_date":"2027-07-02","end_date":"2027-07-03"}`,
			`"start_date":"2027-06-02 06:00:00","end_date":"2027-06-04 05:59:59"`, "2027-07-02", "2027-07-03"},
		{"times from now on", `{"all_day":false}`, `"start_date":"2027-06-02 06:00:00","end_date":"2027-06-04 05:59:59"`,
			"2027-06-02 06:00:00",
			"2027-06-04 05:59:59"},
	} {
		call := parseBody(t, "events.update", "5", "", test.body)
		item := `{"id":5,"status":"publish","all_day":true,"timezone":"Europe/London",` + test.item + `}`
		done, err := send(legacy, call, nil, respondWith(item))
		if err != nil {
			t.Fatal(test.name, err)
		}
		if start, end := done.call.Field("start_date"), done.call.Field("end_date"); start.Text != test.start || end.Text != test.end ||
			end.JSON != `"`+test.end+`"` {
			t.Errorf("%s: got %s to %s", test.name, start.Text, end.JSON)
		}
	}
}
