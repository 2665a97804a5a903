package sim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEncodeJSON(t *testing.T) {
	v := object{{"a/b", "é \"q\" \\ </b> & \u007f\u2028 🚢\t\x01"}, {"n", list{1, true, nil, object{}, list{}}}}
	want := `{"a\/b":"\u00e9 \"q\" \\ <\/b> & ` + "\u007f" + `\u2028 \ud83d\udea2\t\u0001","n":[1,true,null,{},[]]}`
	if diff := cmp.Diff(want, encodeJSON(v)); diff != "" {
		t.Errorf("encodeJSON (-want +got):\n%s", diff)
	}
}

func TestParseQuery(t *testing.T) {
	got := parseQuery("a=1&a=2&e&f=+%C3%A9")
	want := params{"a": "2", "e": "", "f": " é"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parseQuery (-want +got):\n%s", diff)
	}
}

func TestSlugify(t *testing.T) {
	tests := []struct{ text, want string }{
		{"Café & Straße: <b>No. 1</b>", "cafe-strasse-no-1"},
		{"🚢 日本", "%f0%9f%9a%a2-%e6%97%a5%e6%9c%ac"},
		{"C++", "c"},
		{"--", ""},
	}
	for _, tt := range tests {
		if got := slugify(tt.text); got != tt.want || slugify(got) != got {
			t.Errorf("slugify(%q) = %q, want %q, a fixed point", tt.text, got, tt.want)
		}
	}
}

func TestReadDate(t *testing.T) {
	now := time.Date(2027, 2, 3, 12, 30, 0, 0, time.UTC) // a Wednesday
	for s, want := range map[string]string{
		"2027-01-05": "2027-01-05 00:00:00", "2027-01-05T10:20:30Z": "2027-01-05 11:20:30", "1798761600": "2027-01-01 01:00:00",
		"now": "2027-02-03 13:30:00", "tomorrow 9:15": "2027-02-04 09:15:00", "+1 week": "2027-02-10 13:30:00",
		"saturday this week": "2027-02-06 00:00:00", "tomorrow 10:00 America/New_York": "2027-02-04 16:00:00", "": "", "soon": "",
	} {
		got := ""
		if date, ok := readDate(s, now, zone("Europe/Berlin")); ok {
			got = date.In(zone("Europe/Berlin")).Format(dateTime)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
