package cache

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestPurgedIsCalled: whoever passes purges on gets each one, and no announcement.
func TestPurgedIsCalled(t *testing.T) {
	var got []Purged
	c := New(Options{Purged: func(a Purged) { got = append(got, a) }, Clock: func() time.Time { return time.Time{} }})
	defer c.Close()
	c.Announce(t.Context(), []string{"x"}).Withdraw()
	c.Purge(t.Context(), Purge{Tags: []string{"a"}})
	c.Announce(t.Context(), []string{"b"}).Purge(t.Context(), Purge{Tags: []string{"b"}})
	c.Announce(t.Context(), []string{"c"}).KeepPending(t.Context(), "write", nil)
	want := []Purged{
		{Purge: Purge{Tags: []string{"a"}}, Local: true},
		{Purge: Purge{Tags: []string{"b"}}, Local: true},
		{Purge: Purge{Tags: []string{"c"}, From: "write"}, Local: true},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Purged{}, "ID")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestPurgeOf reads the tags that records of the log purge.
func TestPurgeOf(t *testing.T) {
	for _, test := range []struct {
		record record
		want   Purge
		ok     bool
	}{
		{
			record: record{Purge: Purge{Tags: []string{"a"}}, Ends: "1"},
			want:   Purge{Tags: []string{"a"}},
			ok:     true,
		},
		{
			record: record{Purge: Purge{Tags: []string{"a"}}, Begins: true},
			want:   Purge{Tags: []string{"a"}},
			ok:     true,
		},
		{record: record{Purge: Purge{All: true, Soft: true}}, want: Purge{All: true, Soft: true}, ok: true},
		{
			record: record{Purge: Purge{Tags: []string{"a"}}, Begins: true, Note: true},
			want:   Purge{},
			ok:     false,
		},
		{
			record: record{Purge: Purge{Tags: []string{"a"}, Soft: true}, Space: "s"},
			want:   Purge{All: true, Soft: true},
			ok:     true,
		},
		{record: record{Purge: Purge{Tags: []string{"a"}}, Note: true, Space: "s"}, want: Purge{}, ok: false},
	} {
		test.record.Version = recordVersion
		got, ok := PurgeOf(test.record.encode(), "")
		if ok != test.ok || ok && !cmp.Equal(got, test.want) {
			t.Errorf("%+v: %+v %t", test.record, got, ok)
		}
	}
	if got, ok := PurgeOf([]byte("hard9\na"), ""); !ok || !got.All {
		t.Errorf("another version: %+v %t", got, ok)
	}
}
