package sim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseDate(t *testing.T) {
	now := time.Date(2027, 2, 3, 12, 30, 0, 0, time.UTC) // a Wednesday
	tests := []struct{ in, want string }{
		{"2027-01-05", "2027-01-05 00:00:00"},
		{"2027-01-05 10:20", "2027-01-05 10:20:00"},
		{"2027-01-05T10:20:30", "2027-01-05 10:20:30"},
		{"2027-01-05T10:20:30Z", "2027-01-05 11:20:30"},
		{"2027-01-05T10:20:30+05:00", "2027-01-05 06:20:30"},
		{"1798761600", "2027-01-01 01:00:00"},
		{"@1798761600", "2027-01-01 01:00:00"},
		{"now", "2027-02-03 13:30:00"},
		{"today", "2027-02-03 00:00:00"},
		{"Tomorrow", "2027-02-04 00:00:00"},
		{"tomorrow 9:15", "2027-02-04 09:15:00"},
		{"yesterday 23:59", "2027-02-02 23:59:00"},
		{"+1 week", "2027-02-10 13:30:00"},
		{"-2 days", "2027-02-01 13:30:00"},
		{"next year", "2028-02-03 13:30:00"},
		{"March 5, 2027", "2027-03-05 00:00:00"},
		{"2027-02-30", "2027-03-02 00:00:00"},
		{"2027-1-1", "2027-01-01 00:00:00"},
		{"2027-01", "2027-01-01 00:00:00"},
		{"January 2027", "2027-01-01 00:00:00"},
		{"1 March 2027 6pm", "2027-03-01 18:00:00"},
		{"2027-01-01 24:00:00", "2027-01-02 00:00:00"},
		{"2027-01-01x", "2027-01-01 12:00:00"},
		{"2027-01-01 10:00:00 EST", "2027-01-01 16:00:00"},
		{"2027-01-01 10:00:00 America/New_York", "2027-01-01 16:00:00"},
		{"Fri, 01 Jan 2027 10:00:00 GMT", "2027-01-01 11:00:00"},
		{"2027-W01-1", "2027-01-04 00:00:00"},
		{"0000-00-00", "-0001-11-30 00:00:00"},
		{"10am", "2027-02-03 10:00:00"},
		{"tomorrow noon", "2027-02-04 12:00:00"},
		{"eighth day", "2027-02-11 13:30:00"},
		{"first day of january 2027", "2027-01-01 00:00:00"},
		{"last friday of next month", "2027-03-26 00:00:00"},
		{"12", "1970-01-01 01:00:12"},
		{"-1", "1970-01-01 00:59:59"},
		{"  ", "2027-02-03 13:30:00"},
		{"", ""}, {"soon", ""}, {"2027-13-45", ""}, {"25:00", ""}, {"tomorrow 25:00", ""}, {"morgen", ""}, {"mañana", ""},
	}
	for _, tt := range tests {
		got := ""
		if at, ok := parseDate(tt.in, now, zone("Europe/Berlin")); ok {
			got = at.Format(dateTime)
		}
		if got != tt.want {
			t.Errorf("parseDate(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestEncodeJSON(t *testing.T) {
	v := object{{"a/b", "é \"q\" \\ </b> & \u007f\u2028 🚢\t\x01"}, {"n", list{1, true, nil, object{}, list{}}}}
	want := `{"a\/b":"\u00e9 \"q\" \\ <\/b> & ` + "\u007f" + `\u2028 \ud83d\udea2\t\u0001","n":[1,true,null,{},[]]}`
	if diff := cmp.Diff(want, encodeJSON(v, false)); diff != "" {
		t.Errorf("encodeJSON (-want +got):\n%s", diff)
	}
}

func TestParseQuery(t *testing.T) {
	got := parseQuery("a=1&a=2&b[]=x&b[]=y&c[0]=x&d[k]=v&e&f=%ff+%C3%A9&%5B=1&g%5B%5D=z")
	want := params{
		"a": "2", "b": []any{"x", "y"}, "c": []any{"x"}, "d": map[string]any{"k": "v"}, "e": "", "f": "? é", "[": "1", "g": []any{"z"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parseQuery (-want +got):\n%s", diff)
	}
}

func TestSlugify(t *testing.T) {
	tests := []struct{ in, want string }{
		{"Café & Straße: <b>No. 1</b>", "cafe-strasse-no-1"},
		{"🚢 日本", "%f0%9f%9a%a2-%e6%97%a5%e6%9c%ac"},
		{"C++", "c"},
		{"--", ""},
	}
	for _, tt := range tests {
		if got := slugify(tt.in); got != tt.want || slugify(got) != got {
			t.Errorf("slugify(%q) = %q, want %q, a fixed point", tt.in, got, tt.want)
		}
	}
}

// TestSeedIsDeterministic compares everything there is, twice.
func TestSeedIsDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	c := newClient(t)
	d := newClient(t)
	for _, lang := range languages() {
		for _, key := range []string{"events?starts_after=2000-01-01&per_page=50&page=1", "venues?per_page=50", "tags?per_page=50"} {
			path := lang.prefix + api + "/" + key
			if diff := cmp.Diff(c.get(path), d.get(path)); diff != "" {
				t.Errorf("%s differs:\n%s", path, diff)
			}
		}
	}
}

// TestConcurrency is for the race detector.
func TestConcurrency(t *testing.T) {
	c := newClient(t).as("admin")
	done := make(chan struct{})
	for range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 5 {
				c.do("POST", api+"/events", newEvent, nil)
				c.do("GET", api+"/events?search=x", "", nil)
			}
		}()
	}
	for range 8 {
		<-done
	}
}

// TestWeekdays: weekdays are as PHP reads them on a Wednesday.
func TestWeekdays(t *testing.T) {
	now := time.Date(2026, 11, 18, 11, 6, 40, 0, time.UTC)
	for s, want := range map[string]string{
		"saturday this week": "2026-11-21 00:00:00", "sunday this week": "2026-11-22 00:00:00", "wednesday": "2026-11-18 00:00:00",
		"next wednesday 10:00": "2026-11-25 10:00:00", "last monday": "2026-11-16 00:00:00", "monday next week 9am": "2026-11-23 09:00:00",
		"last friday of next month": "2026-12-25 00:00:00", "tomorrow 10:00 Europe/Berlin": "2026-11-19 10:00:00",
	} {
		if at, ok := strtotime(s, now, time.UTC); !ok || at.Format(dateTime) != want {
			t.Errorf("%s: got %s (%t), want %s", s, at, ok, want)
		}
	}
}
