package mapping

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLists(t *testing.T) {
	want := []string{
		"/events?ends_before=2999-12-31&page=1&per_page=50&strict_dates=false",
		"/venues?only_with_upcoming=false&page=1&per_page=50",
		"/organizers?only_with_upcoming=false&page=1&per_page=50",
		"/categories?hide_empty=false&orderby=id&page=1&per_page=50",
		"/tags?hide_empty=false&orderby=id&page=1&per_page=50",
	}
	var got []string
	for _, c := range WidestLists() {
		got = append(got, c.Path()+"?"+c.Canonical())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, want := PlainList(WidestLists()[3]).Canonical(), "hide_empty=true&page=1&per_page=10"; got != want {
		t.Errorf("plain: %s, want %s", got, want)
	}
	next := WidestLists()[3].OnPage(12)
	if got, want := next.Canonical(), "hide_empty=false&orderby=id&page=12&per_page=50"; got != want || next.Page() != 12 {
		t.Errorf("page 12: %s, want %s", got, want)
	}
}

func TestReads(t *testing.T) {
	for _, test := range []struct {
		resource, id, slug string
		want               []string
	}{
		{"events", "12", "open-day", []string{"/events/12", "/events/by-slug/open-day"}},
		{"venues", "12", "", []string{"/venues/12"}},
		{"organizers", "12", "%e3%81%82 b", []string{"/organizers/12", "/organizers/by-slug/%E3%81%82%20b"}},
		{"events", "603", "%f0%9f%8e%89-party", []string{"/events/603", "/events/by-slug/%F0%9F%8E%89-party"}},
		{"events", "12", "50%-off", []string{"/events/12", "/events/by-slug/50%25-off"}},
		{"events", "12", "%e3%81", []string{"/events/12", "/events/by-slug/%25e3%2581"}},
		{"tags", "12", "open-day", []string{"/tags/12"}},
		{"events", strings.Repeat("1", 21), strings.Repeat("a", 201), nil},
	} {
		var got []string
		for _, c := range ItemReads(test.resource, test.id, test.slug) {
			got = append(got, c.Path())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %s %s:\n%s", test.resource, test.id, test.slug, diff)
		}
	}
}

func TestListed(t *testing.T) {
	list := WidestLists()[0]
	p, err := ParseList(list, []byte(`{"events":[{"id":1,"url":"https:\/\/a\/b\/","title":"&#8220;x \u00e9&#8221;","status":"publish",`+
		`"cost":"Free","description":"<p>y<\/p>"},{"id":2}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range p.Items {
		got = append(got, item.Page(), Words(list, item))
	}
	if diff := cmp.Diff([]string{"https://a/b/", "xé\npyp\n", "", ""}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadPage(t *testing.T) {
	const body = `{"events":[{"id":1,"title":"a","slug":"a\/b"},{"x":{"id":9}},{"id":"2","slug":false}],"rest_url":"r",` +
		`"next_rest_url":"n","x\"":[1],"total":"3","total_pages":2}`
	list := WidestLists()[0]
	p, err := ParseList(list, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range p.Items {
		got = append(got, item.ID+" "+item.Slug)
	}
	if diff := cmp.Diff([]string{"1 a/b", "2 "}, got); diff != "" || p.Total != 3 || p.Pages != 2 {
		t.Errorf("%d items on %d pages, and here %s", p.Total, p.Pages, diff)
	}
	if got, want := string(p.Items[0].Place), `{"id":"1"}`; got != want {
		t.Errorf("the place is %s, want %s", got, want)
	}
	for _, test := range []struct{ got, want string }{
		{string(ListDocument(list, [][]byte{p.Items[0].JSON, p.Items[1].Place}, 7)),
			`{"events":[{"id":1,"title":"a","slug":"a\/b"},{"id":"2"}],"total":7}`},
		{string(ListDocument(list, nil, -1)), `{"events":[]}`},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
	for _, bad := range []string{``, `[]`, `{"events":{}}`, `{"events":[1]}`, `{"events":[{"id":1}`, `{"events":[]`} {
		if p, err := ParseList(list, []byte(bad)); err == nil {
			t.Errorf("%s: read as %v", bad, p)
		}
	}
}
