package dates

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// phpDate is how PHP reads a date.
type phpDate struct {
	Zoned bool     // it has a zone, an offset or the seconds of an instant
	At    [2]int64 // in UTC, and in Chicago
	There int64    // where the day is the day of its zone
}

const askPHP = `
$all = [];
foreach (json_decode(stream_get_contents(STDIN)) as $text) {
	$read = date_parse($text);
	$at = [];
	foreach (['UTC', 'America/Chicago'] as $zone) {
		date_default_timezone_set($zone);
		$at[] = strtotime($text, 1795000000);
	}
	$there = match ($read['zone_type'] ?? 0) {
		1 => sprintf('%s%02d:%02d', $read['zone'] < 0 ? '-' : '+', intdiv(abs($read['zone']), 3600), intdiv(abs($read['zone']), 60) % 60),
		2 => $read['tz_abbr'],
		3 => $read['tz_id'],
		default => 'UTC',
	};
	$now = (new DateTimeImmutable('@1795000000'))->setTimezone(new DateTimeZone($there));
	$all[] = in_array(false, $at, true) ? null
		: ['Zoned' => $read['is_localtime'], 'At' => $at, 'There' => @$now->modify($text)->getTimestamp()];
}
echo json_encode($all);`

// readByPHP returns how strtotime reads dates; nil for a text that strtotime refuses.
func readByPHP(t *testing.T, texts []string) []*phpDate {
	t.Helper()
	php, err := exec.LookPath("php")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("php is not installed")
	} else if err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(php, "-r", askPHP)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var dates []*phpDate
	if err := json.Unmarshal(out, &dates); err != nil {
		t.Fatalf("%v: %.200s", err, out)
	}
	return dates
}

// TestZonesAsPHP: a text that PHP reads with a zone is an instant here: the same one, or one that a
// write refuses.
func TestZonesAsPHP(t *testing.T) {
	if testing.Short() {
		t.Skip("pure functions, one after the other: there is nothing for -race")
	}
	texts := spellings()
	converted := 0
	words := 0
	refused := 0
	zoned := 0
	for i, php := range readByPHP(t, texts) {
		s := texts[i]
		d, ok := Parse(s)
		if php == nil || !ok || d.Text == "" {
			continue
		}
		if secondsForm.MatchString(d.Text) || otherwise.MatchString(s) {
			continue
		}
		moment, isInstant := At(d.Text, time.Unix(1795000000, 0))
		instant := php.At[0]
		if d.Kind == Relative && !fullDate.MatchString(s) { // else modify keeps the time of now
			instant = php.There
		}
		switch {
		case !php.Zoned && d.Kind == Instant:
			t.Errorf("%q is %v here, and has no zone for PHP", s, d)
		case !php.Zoned:
			want := time.Unix(php.At[0], 0).UTC().Format(time.DateTime)
			text, _, _ := strings.Cut(WithTime(d.Text), ".")
			if d.Kind == Local && text != want {
				t.Errorf("%q is %v here, and %s for PHP", s, d, want)
			}
		case !isInstant:
			t.Errorf("%q is %v here, and has a zone for PHP", s, d)
		case moment.IsZero():
			zoned++
			refused++
		case moment.Unix() != instant:
			t.Errorf("%q is %s here, and %s for PHP", s, moment, time.Unix(instant, 0).UTC())
		case d.Kind == Relative:
			zoned++
			words++
		default:
			zoned++
			converted++
		}
	}
	t.Logf("%d spellings, %d with a zone: %d converted, %d in words, %d refused", len(texts), zoned, converted, words, refused)
	if converted < 5000 || words < 5000 {
		t.Errorf("%d of %d are refused", refused, zoned)
	}
}

// otherwise has the dates that PHP reads differently on purpose or by mistake: it drops the offset of UTC+2,
// and moves a weekday at 24:00 by a week. A plain number is never a year or a time here.
var otherwise = regexp.MustCompile(`UTC[-+]|Tue.*24:00`)

var fullDate = regexp.MustCompile(`\d{4}-\d\d-\d\d`)

// spellings crosses forms of days, times and zones, and adds random ones.
func spellings() []string {
	days := []string{
		"2027-07-20", "2027/7/20", "20.07.2027", "20-7-2027", "07/20/2027", "7/20/2027", "20270720", "2027-07", "2027-W29-2", "2027W292",
		"2027-W29", "2027201", "2027-201", "2027.201",
		"20 Jul 2027", "20 July 2027", "20. July 2027", "20th Jul 2027", "20-Jul-2027", "20Jul2027", "Jul 20 2027", "July 20, 2027",
		"July 20th, 2027", "Jul-20-2027", "Jul 20", "2027-Jul-20",
		"Tue, 20 Jul 2027", "Tue Jul 20 2027", "Tuesday, 20-Jul-27", "Mon Jul 20 2027", "27-07-20", "20-Jul-27", "Jul-20", "July-5",
		"20-Jul",
		"EST-20-2027", "2027-EST-20", "20 Jul", "July 2027", "2027 July",
		"tomorrow", "now", "monday", "first monday of july 2027", "+2 days", "@1795000000", "",
	}
	times := []string{"", " 12:00", "T12:00:00", " 12:00:00", " 12:00:00.25", "T120000", "T1200", "120000", " 1200", "T12",
		" 12.30", " 9:05",
		" 9:5", " 12 pm", " 12:30 PM", " 12:30:00 a.m.", " 7am", " noon", " 24:00", ", 12:00", " T12:00", "t12:00:00", " 12:00 +1 day"}
	zones := []string{"", "Z", " Z", "z", " UTC", "UTC", " GMT", "+02:00", " +02:00", "+0200", " -0330", "+2", " -2", " GMT+0200", " GMT+2",
		" GMT-02:00", " Europe/Rome", "Europe/Rome", " America/Port-au-Prince", " EST", " CET", " (UTC)", " x", "T", " t", " w", "+020000",
		" Etc/GMT+2", " +0200 +1 day", " UTC +1 week"}
	var list []string
	for _, day := range days {
		for _, clock := range times {
			for _, zone := range zones {
				list = append(list, strings.TrimSpace(day+clock+zone), strings.TrimSpace(strings.TrimSpace(clock+zone)+" "+day),
					day+zone+clock)
			}
		}
	}
	for _, day := range wordDays {
		for _, clock := range []string{"", " 10:00", " 9:30:15 pm", " noon", " 24:00", " +3 hours"} {
			for _, zone := range []string{"Z", " UTC", "+02:00", " -0330", " +2", " GMT+2", " Europe/Rome", " CET", " UTC +1 week"} {
				list = append(list, day+clock+zone, zone+" "+day+clock, day+zone+clock, clock+zone+" "+day)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	parts := slices.Concat(days, times, zones,
		strings.Fields("1 20 2027 - + / : . , T W of last next ago am pm week hours -3 +1 +5 second @5 1.5 Jul-05:00 sat"))
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			b.WriteString(parts[random.IntN(len(parts))])
			b.WriteString([]string{"", " "}[random.IntN(2)])
		}
		list = append(list, b.String())
	}
	return list
}

// wordDays are days in words. 1795000000 is a Wednesday.
var wordDays = []string{
	"now", "today", "midnight", "tomorrow", "yesterday", "wed", "sunday", "Thurs", "next wednesday", "last wed", "this wednesday",
	"next monday", "last sunday", "previous sat", "this tues", "monday next week", "sunday this week", "sun last week", "next week friday",
	"next week", "next month", "last year", "this day", "next fortnight", "+2 days", "- 2 weeks", "3 months ago", "1 week 2 days ago",
	"monday +1 week", "+1 week monday", "-1 week monday", "tomorrow monday", "2026-12-31", "2026-12-31 monday", "tomorrow +1 month",
	"last monday -1 week", "first monday of next month", "third day", "+2 weekdays", "-3 fortnights 90 min", "tomorrow tomorrow",
}
