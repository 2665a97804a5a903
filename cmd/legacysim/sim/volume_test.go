package sim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func voluminous(t testing.TB, events int) *Site {
	t.Helper()
	return New(Options{Clock: func() time.Time { return testNow }, Site: "http://legacy.test", Events: events})
}

// everything is all dates, for the list without them begins today.
const everything = "start_date=2000-01-01&end_date=2100-01-01"

// TestVolumeIsAdded holds that the events are dealt over the languages.
func TestVolumeIsAdded(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	small := newClient(t)
	large := &client{t: t, site: voluminous(t, 1002)}
	for i, lang := range languages() {
		list := lang.prefix + api + "/events?" + everything
		want := small.total(list) + 250
		if i < 2 {
			want++
		}
		if got := large.total(list); got != want {
			t.Errorf("%s: %d events, want %d", lang.code, got, want)
		}
	}
	if diff := cmp.Diff(large.get(api+"/events?per_page=50&page=4"),
		(&client{t: t, site: voluminous(t, 1002)}).get(api+"/events?per_page=50&page=4")); diff != "" {
		t.Errorf("another site of that size differs: %s", diff)
	}
}

// TestVolumeIsWhole holds that ids and slugs are free, and that the items to which events refer
// is there.
func TestVolumeIsWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	for code, b := range voluminous(t, 10_000).blogs {
		if len(b.posts) != len(b.byID) {
			t.Errorf("%s: %d posts with %d ids", code, len(b.byID), len(b.posts))
		}
		slugs := map[string]int{}
		for _, p := range b.byID {
			if id := slugs[string(p.kind)+p.slug]; id != 0 && p.slug != "" {
				t.Errorf("%s: %d and %d are both %s", code, id, p.id, p.slug)
			}
			slugs[string(p.kind)+p.slug] = p.id
			if p.date.After(testNow) && p.status != "future" {
				t.Errorf("%s: %d was written on %s", code, p.id, p.date)
			}
			if p.event == nil {
				continue
			}
			for _, id := range p.event.venues {
				if b.find(venueKind, id) == nil {
					t.Errorf("%s: event %d has no venue %d", code, p.id, id)
				}
			}
			for _, id := range p.event.organizers {
				if b.find(organizerKind, id) == nil {
					t.Errorf("%s: event %d has no organizer %d", code, p.id, id)
				}
			}
			for _, id := range append(p.event.categories, p.event.tags...) {
				if b.terms[id] == nil {
					t.Errorf("%s: event %d has no term %d", code, p.id, id)
				}
			}
		}
	}
}

// TestConcurrency is for the race detector.
func TestConcurrency(t *testing.T) {
	c := newClient(t).signedIn("admin")
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
