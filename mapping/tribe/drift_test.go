package tribe

import (
	"fmt"
	"strings"
	"testing"
)

// TestDrift compares updates with responses of the legacy.
func TestDrift(t *testing.T) {
	const original = `{"id":5,"slug":"gala","status":"private","date":"2026-01-01 10:00:00","date_utc":"2026-01-01 ` +
		`10:00:00","title":"Gala","cost":"£5","cost_details":{"values":["5"]},` +
		`"start_date":"2027-03-01 18:00:00","end_date":"2027-03-01 20:00:00","utc_start_date":"2027-03-01 ` +
		`18:00:00","utc_end_date":"2027-03-01 20:00:00","timezone":"Europe/London",` +
		`"website":"https://x.example","all_day":false,"featured":true,"image":{"id":100},"organizer":[{"id":183,"organizer":"A"}],` +
		`"venue":{"id":103,"venue":"Hall"},"categories":[{"id":10,"name":"Music","slug":"music"}],"tags":[],"author":"1",` +
		`"description":"<p>D<\/p>"}`
	now := func(changes ...string) string {
		out := original
		for i := 0; i+1 < len(changes); i += 2 {
			if !strings.Contains(out, changes[i]) {
				t.Fatalf("not in the item: %s", changes[i])
			}
			out = strings.Replace(out, changes[i], changes[i+1], 1)
		}
		return out
	}
	for _, test := range []struct{ name, body, reply, want string }{
		{"nothing", `{"title":"Gala 2"}`, now(`"Gala"`, `"Gala 2"`), ""},
		{"the text is texturized", `{"title":"A & B's"}`, now(`"Gala"`, `"A &#038; B&#8217;s"`), ""},
		{"the text stayed, and is the same", `{"title":"Gala","description":"D"}`, original, ""},
		{"the text stayed", `{"title":"Other"}`, original, "title not_applied"},
		{"published", `{"title":"Gala 2"}`, now(`"private"`, `"publish"`, `"Gala"`, `"Gala 2"`), "status changed"},
		{"reset", `{"title":"Gala"}`, now(`"featured":true`, `"featured":false`, `"£5"`, `""`, `{"id":100}`, `false`,
			`[{"id":183,"organizer":"A"}]`, `[]`, `"https://x.example"`, `""`),
			"image changed, cost changed, website changed, featured changed, organizer changed"},
		{"pending in place of published", `{"status":"publish"}`, now(`"private"`, `"pending"`), "status not_applied"},
		{"a status changes the date", `{"status":"draft"}`, now(`"private"`, `"draft"`, `"date_utc":"2026-01-01 10:00:00"`,
			`"date_utc":"0000-00-00 00:00:00"`), ""},
		{"the dates stayed", `{"start_date":"2027-03-02","end_date":"2027-03-03"}`, original, "start_date not_applied, end_date not_applied"},
		{"the day of whole days", `{"all_day":true,"start_date":"2027-03-01 18:00:00","end_date":"2027-03-01"}`,
			now(`"all_day":false`, `"all_day":true`, `"2027-03-01 18:00:00","end`, `"2027-03-01 00:00:00","end`), ""},
		{"an instant", `{"start_date":"2027-03-01T18:00:00Z","end_date":"2027-03-01T20:00:00Z"}`, original, ""},
		{"another instant", `{"start_date":"2027-03-01T18:00:00Z","end_date":"2027-03-01T20:00:00Z"}`,
			now(`"utc_start_date":"2027-03-01 18`, `"utc_start_date":"2027-03-01 17`), "start_date not_applied"},
		{"relative dates", `{"start_date":"tomorrow","end_date":"+2 days"}`, original, ""},
		{"links", `{"venue":103,"organizer":[183],"categories":["music"],"image":"100"}`, original, ""},
		{"links that are ids alone", `{"organizer":[183]}`, now(`[{"id":183,"organizer":"A"}]`, `["183"]`, `{"id":100}`, `100`), ""},
		{"inline items", `{"venue":{"venue":"Hall"},"organizer":[{"organizer":"A"}],"categories":[10]}`, original, ""},
		{"an unknown term is left out", `{"categories":[10,999]}`, original, "categories not_applied"},
		{"a tag became another", `{"tags":["free"]}`, now(`"tags":[]`, `"tags":[{"id":66,"name":"34","slug":"34"}]`), "tags not_applied"},
		{"a tag outside ASCII became another", `{"tags":["Музыка"]}`,
			now(`"tags":[]`, `"tags":[{"id":84,"name":"83","slug":"83"}]`), "tags not_applied"}, // create-tags-by-name-cyrillic
		{"a new tag outside ASCII", `{"tags":["Музыка"]}`,
			now(`"tags":[]`, `"tags":[{"id":84,"name":"Музыка","slug":"%d0%bc"}]`), ""},
		{"not removed", `{"organizer":[]}`, original, "organizer not_applied"},
		{"a price", `{"cost":5}`, original, ""},
		{"another currency that looks alike", `{"title":"Gala 2"}`,
			now(`"Gala"`, `"Gala 2"`, `{"values":["5"]}`, `{"currency_symbol":"£","currency_position":"prefix","values":["5"]}`),
			"cost changed"},
		{"the last of whole days that end in the morning", `{"all_day":true,"start_date":"2027-03-01","end_date":"2027-03-02"}`,
			now(`"all_day":false`, `"all_day":true`, `"2027-03-01 18:00:00","end`, `"2027-03-01 06:00:00","end`,
				`"2027-03-01 20:00:00","utc`,
				`"2027-03-03 05:59:59","utc`), ""},
		{"a day more", `{"all_day":true,"start_date":"2027-03-01","end_date":"2027-03-02"}`,
			now(`"all_day":false`, `"all_day":true`, `"2027-03-01 18:00:00","end`, `"2027-03-01 06:00:00","end`,
				`"2027-03-01 20:00:00","utc`,
				`"2027-03-04 05:59:59","utc`), "end_date not_applied"},
		{"a price is free", `{"cost":"$0"}`, now(`"£5"`, `"Free"`, `{"values":["5"]}`, `{"currency_symbol":"$","values":["0"]}`), ""},
		{"another currency", `{"cost":"$5 - $25"}`, now(`"£5"`, `"£5 – £25"`, `{"values":["5"]}`, `{"values":["5","25"]}`),
			"cost not_applied"},
		{"a price stayed", `{"cost":["5","6"]}`, original, "cost not_applied"},
		{"a slug made unique", `{"slug":"dance"}`, now(`"gala"`, `"dance-2"`), ""},
		{"a slug stayed", `{"slug":"dance"}`, original, "slug not_applied"},
		{"an empty zone is the site's", `{"timezone":"0"}`, original, ""},
		{"a URL", `{"website":"https://x.example"}`, original, ""},
		{"an author stayed", `{"author":2}`, original, "author not_applied"},
		{"a flag in PHP's text of false", `{"featured":false}`, now(`"featured":true`, `"featured":""`), ""},
		{"a flag stayed, in PHP's text of true", `{"featured":false}`, now(`"featured":true`, `"featured":"1"`), "featured not_applied"},
		{"no item", `{"title":"x"}`, `[]`, ""},
	} {
		call := parseBody(t, "events.update", "5", "", test.body)
		done, err := send(legacy, call, nil, respondWith(original))
		if err != nil {
			t.Fatal(test.name, err)
		}
		var got []string
		for _, d := range Drift(legacy, call, done.call, []byte(test.reply)) {
			got = append(got, fmt.Sprint(d.Field, " ", d.Kind))
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestDriftOfTerms: a field that was not read before the write cannot be seen to change.
func TestDriftOfTerms(t *testing.T) {
	for _, endpoint := range []string{"categories.update", "tags.update"} {
		call := parseBody(t, endpoint, "5", "", `{"description":"D"}`)
		if got := Drift(legacy, call, call, []byte(`{"id":5,"name":"N","slug":"n","description":"D"}`)); got != nil {
			t.Errorf("%s: got %v", endpoint, got)
		}
	}
}

// TestDriftOfAddresses: an address is the same whichever of its characters are entities.
func TestDriftOfAddresses(t *testing.T) {
	for _, test := range []struct{ body, reply, want string }{
		{`{"phone":"2"}`, `a&#64;&#120;.example`, "[]"},
		{`{"phone":"2","email":"a@x.example"}`, `a@x&#46;example`, "[]"},
		{`{"phone":"2"}`, `b&#64;x.example`, "[{email changed}]"},
	} {
		call := parseBody(t, "organizers.update", "5", "", test.body)
		request := *call
		request.Found = []byte(`{"id":5,"phone":"1","email":"&#97;@x.example"}`)
		got := fmt.Sprint(Drift(legacy, call, &request, []byte(`{"id":5,"phone":"2","email":"`+test.reply+`"}`)))
		if got != test.want {
			t.Errorf("%s, %s: got %s, want %s", test.body, test.reply, got, test.want)
		}
	}
}
