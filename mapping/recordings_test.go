package mapping

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// decided are the recorded lists that the facade accepts where the real site refuses
// them, or the reverse. reasons are the reasons of the facade's faults, "" where it accepts.
var decided = []struct{ files, reasons, why string }{
	{"*/*/list-*-unknown", "", "the site knows its ids"},
	{"*/*/list-include-1970", "", "include lifts the dates"},
	{"*/*/list-include-dates-1970-*", "", "include lifts the dates"},
	{"*/*/list-search-digits-0", "", "the site searches terms for any text but this"},
	{"*/*/list-status-bogus", "", "plugins register words"},
	{"*/*/list-status-draft-anonymous", "", "the site knows the rights"},
	{"*/*/odd-event-event-*[0-9]", "", "the site knows its ids"},
	{"*/*/odd-exclude-exclude-[ct]0", "", "the site knows its ids"},
	{"*/*/odd-exclude-exclude-*999999", "", "the site knows its ids"},
	{"*/*/odd-post-post-*", "", "the site knows its ids"},
	{"*/*/odd-slug-slug-0", "", "a slug as any other"},
	{"*/*/odd-status-status--publish*", "", "plugins register words"},
	{"*/*/odd-status-status-any-*", "", "plugins register words"},
	{"events/en/list-_jsonp-bad", "", "a parameter that is dropped"},
	{"events/en/list-include-past-hidden-far-*1970-01-01", "", "include lifts the dates"},
	{"events/en/list-ticketed-true", "", "the site knows its plugins"},
	{"events/en/list-venue-not-a-venue", "", "the site knows its ids"},
	{"events/en/odd-bool-ticketed-no", "", "a boolean of the contract"},
	{"events/en/odd-bool-ticketed-off", "", "a boolean of the contract"},
	{"events/en/odd-include+date-*", "", "include lifts the dates"},
	{"events/en/odd-list-*+strict-0", "", "a boolean of the contract"},
	{"events/en/odd-list-*-1970-01-01", "", "the next second is in the same day"},
	{"events/en/odd-list-*-1970-01-01-00-00-00", "", "the next second is in the same day"},

	{"*/*/odd-exclude-exclude-?slug", "ids", "the site excludes nothing"},
	{"*/*/odd-status-status--as-*", "empty", "whoever may write gets another list than without a status"},
	{"errors/en/nul-in-query", "control", "two readers must not read two things"},
	{"events/en/odd-geoloc-geoloc-1-geoloc_lat--geoloc_lng", "number number", "nothing is no place"},
	{"events/en/odd-geoloc-geoloc-1-geoloc_lat-51.4", "with", "the contract wants both"},
	{"events/en/odd-geoloc-geoloc-1-geoloc_lat-array-*", "type", "a list is no number"},
	{"events/en/odd-geoloc-geoloc-1-geoloc_lng--2.5", "with", "the contract wants both"},
	{"events/en/odd-linked-organizer-array-array-o1", "ids", "the site reads the word Array"},
	{"events/en/odd-list-*_date", "date", "blanks, which the site reads as now"},
	{"events/en/odd-list-starts_after", "date", "blanks, which the site reads as now"},
	{"events/en/odd-list-*-+1", "date", "the site drops the filter"},
	{"events/en/odd-list-*-0000-00-00*", "unreal_date", "the site reads a day before the year 1"},
	{"events/en/odd-list-*-10000-01-01", "date", "the site reads the year 2000"},
	{"events/en/odd-list-*-1798761600.5", "date", "the site reads the year 7616"},
	{"events/en/odd-list-*-1e9", "date", "the site drops the filter"},
	{"events/en/odd-list-*-2027-01-01x", "date", "the site reads the zone X; rather a slip"},
	{"events/en/odd-list-*-2027-02-29", "unreal_date", "the site reads the first of March"},
	{"events/en/odd-list-*-2027-02-30", "unreal_date", "the site reads the second of March"},
	{"events/en/odd-list-*-99999-01-01", "date", "the site reads the year 2009"},
}

// TestRecordedLists compares Parse with recorded lists of a real site: a list that the site
// served is accepted, and one that it refused for a parameter is refused, unless decided has
// an exception. An accepted day is the one that the site has parsed.
func TestRecordedLists(t *testing.T) {
	if testing.Short() {
		t.Skip("it is sequential: there is nothing for -race")
	}
	lists := recordedLists(t)
	days := 0
	used := map[string]bool{}
	for _, r := range lists {
		call, err := Parse(r.endpoint, http.MethodGet, Input{Query: r.query}, Drop)
		want, files, isDecided := r.decision()
		used[files] = true
		if got := faultReasons(err); isDecided && got != want || !isDecided && (err == nil) != (r.status == http.StatusOK) {
			t.Errorf("%s (%d): faults %q, want %q", r.file, r.status, got, want)
		}
		if err == nil {
			days += r.checkDays(t, call)
		}
	}
	if len(lists) < 800 || days < 30 {
		t.Errorf("only %d recordings checked, with %d days", len(lists), days)
	}
	for _, d := range decided {
		if !used[d.files] {
			t.Errorf("%s: no such recording", d.files)
		}
	}
}

type recordedList struct {
	file     string // without its extension
	endpoint *Endpoint
	query    Node
	status   int
	self     url.Values // the parameters as the site parsed them; nil if unknown
}

func (r *recordedList) decision() (reasons, files string, ok bool) {
	for _, d := range decided {
		if matches, err := path.Match(d.files, r.file); matches && err == nil {
			return d.reasons, d.files, true
		}
	}
	return "", "", false
}

// checkDays compares the days of a call with those that the site has parsed, and returns
// their number.
func (r *recordedList) checkDays(t *testing.T, call *Call) (days int) {
	if strings.HasPrefix(r.file, "settings/en/cutoff-") {
		return 0 // days of this site end in the morning of the next
	}
	for _, a := range call.Query {
		day, _, _ := strings.Cut(a.Text, " ")
		if a.Param.Kind != DateTime || !dates.IsCanonical(day) || dates.KindOf(a.Text) == dates.Instant || !r.self.Has(a.Param.Name) {
			continue
		}
		days++
		if got, _, _ := strings.Cut(r.self.Get(a.Param.Name), " "); got != day {
			t.Errorf("%s: %s is %s, the site read %s", r.file, a.Param.Name, day, got)
		}
	}
	return days
}

// faultReasons returns the reasons of all faults.
func faultReasons(err error) string {
	var faults Faults
	errors.As(err, &faults)
	var reasons []string
	for _, f := range faults {
		reasons = append(reasons, f.Reason)
	}
	return strings.Join(reasons, " ")
}

// recordedLists returns the lists that a real site has served, or has refused for a
// parameter.
func recordedLists(t *testing.T) []recordedList {
	t.Helper()
	var lists []recordedList
	for _, file := range recordedtest.Files(t, "*/*/*") {
		if r, ok := readRecordedList(t, file); ok {
			lists = append(lists, r)
		}
	}
	return lists
}

func readRecordedList(t *testing.T, file string) (r recordedList, ok bool) {
	t.Helper()
	x := recordedtest.Read(t, file)
	place, raw, _ := strings.Cut(x.Request.Path, "?")
	_, name, under := strings.Cut(place, "/wp-json/tribe/events/v1/")
	i := slices.IndexFunc(Table, func(e *Endpoint) bool { return e.Name() == strings.TrimSuffix(name, "/")+".list" })
	answered := x.Response.Status == http.StatusOK || x.Response.Status == http.StatusBadRequest
	if !under || i < 0 || x.Request.Method != http.MethodGet || !answered {
		return r, false
	}
	query, err := DecodeForm(strings.ReplaceAll(raw, "wpml_language", Language.Name))
	if err != nil {
		t.Fatal(file, err)
	}
	self := jsonscan.Get(x.Response.Body, "rest_url") // a page of HTML has no such member
	_, params, _ := strings.Cut(jsonscan.Text(self), "?")
	values, _ := url.ParseQuery(params)
	return recordedList{
		file:     recordedtest.Name(file),
		endpoint: Table[i],
		query:    query,
		status:   x.Response.Status,
		self:     values,
	}, true
}
