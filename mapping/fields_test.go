package mapping

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestFields has the spellings of a selection, and the faults of wrong ones.
func TestFields(t *testing.T) {
	for query, want := range map[string]string{
		"fields=id":                             "fields=id",
		"fields=title,id,title":                 "fields=id,title",
		"fields[]=title&fields[]=id":            "fields=id,title",
		"fields[x]=title&fields[x]=id":          "fields=id",
		"fields=+id+,+title":                    "fields=id,title",
		"fields=venue.city,venue.venue":         "fields=venue.city,venue.venue",
		"fields=venue.city,venue,venue.venue":   "fields=venue",
		"fields=image.sizes.medium.url":         "fields=image.sizes.medium.url",
		"fields=image.sizes.medium":             "fields=image.sizes.medium",
		"fields=categories.urls.self":           "fields=categories.urls.self",
		"fields=custom_fields":                  "fields=custom_fields",
		"fields=json_ld.location.address.@type": "fields=json_ld.location.address.%40type",
		"texts=plain":                           "texts=plain",
		"texts=plain&fields=id":                 "fields=id&texts=plain",
		"texts=plain&texts=html":                "rest_not_in_enum enum List plain",
		"texts=":                                "rest_invalid_param empty",

		"fields=":                             "rest_invalid_param empty",
		"fields=id,,":                         "fields=id",
		"fields=id,,titel,":                   "rest_invalid_param unknown_field Number 3 Other title",
		"fields=id,titel":                     "rest_invalid_param unknown_field Number 2 Other title",
		"fields=Title":                        "rest_invalid_param unknown_field Number 1 Other title",
		"fields=start":                        "rest_invalid_param unknown_field Number 1 Other start_date",
		"fields=startdate":                    "rest_invalid_param unknown_field Number 1 Other start_date",
		"fields=venue.name":                   "rest_invalid_param unknown_field Number 1 Other venue.date",
		"fields=venue.adress":                 "rest_invalid_param unknown_field Number 1 Other venue.address",
		"fields=title.rendered":               "rest_invalid_param unknown_field Number 1 Other title",
		"fields=image.sizes.m.width.x":        "rest_invalid_param unknown_field Number 1 Other image.sizes.m.width",
		"fields=image.sizes.m.hight":          "rest_invalid_param unknown_field Number 1 Other image.sizes.m.height",
		"fields=image.sizes.":                 "rest_invalid_param unknown_field Number 1 Other image.sizes",
		"fields=custom_fields.a":              "rest_invalid_param unknown_field Number 1 Other custom_fields",
		"fields=events.id":                    "rest_invalid_param unknown_field Number 1 Other venue",
		"fields=.":                            "rest_invalid_param unknown_field Number 1 Other id",
		"fields=%ff":                          "rest_invalid_param encoding",
		"fields=%00":                          "rest_invalid_param control",
		"fields=" + strings.Repeat("x", 1000): "rest_invalid_param unknown_field Number 1 Other excerpt",
		"fields=image.sizes." + strings.Repeat("x", 990): "rest_too_long too_long Max 1000",
	} {
		got := parsedView(t, query)
		if got != want {
			t.Errorf("%.60s: got %q, want %q", query, got, want)
		}
	}
	var names []string
	for i := range 2 * MaxFields {
		names = append(names, fmt.Sprintf("image.sizes.%d", i))
	}
	if got := parsedView(t, "fields="+strings.Join(names, ",")); got != "rest_too_many_items too_many Max 100" {
		t.Errorf("%d names: %s", len(names), got)
	}
}

// parsedView returns the view of a list of events, or the fault.
func parsedView(t *testing.T, query string) string {
	t.Helper()
	node, err := DecodeForm(query)
	if err != nil {
		t.Fatal(err)
	}
	call, err := Parse(row(t, "events.list"), http.MethodGet, Input{Query: node, Extensions: true}, Reject)
	if faults, ok := err.(Faults); ok {
		return strings.TrimSpace(faults[0].Code + " " + faults[0].Reason + " " + strings.Join(faults[0].Args, " "))
	}
	return strings.ReplaceAll(strings.TrimPrefix(call.View.Query(), "&"), "%2C", ",")
}

// TestExtensions: extensions are parameters of reads in the neutral names alone, and unknown otherwise.
func TestExtensions(t *testing.T) {
	node, err := DecodeForm("fields=id&texts=plain")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range Table {
		for _, test := range []struct {
			input Input
			want  bool
		}{
			{Input{Item: "5", Query: node, Extensions: true}, e.Action == List || e.Action == Read},
			{Input{Item: "5", Query: node}, false},
			{Input{Item: "5", Query: node, Extensions: true, InLegacyNames: true}, false},
		} {
			call, err := Parse(e, e.Methods[0], test.input, Drop)
			if faults, ok := err.(Faults); ok && e.Writes() && faults[0].Missing {
				continue
			}
			if err != nil {
				t.Fatal(e.Name(), err)
			}
			dropped := strings.Join(e.Dropped(test.input), " ")
			if got := call.View.Query() == "&fields=id&texts=plain" && dropped == ""; got != test.want {
				t.Errorf("%s: view %q, dropped %q, want a view: %t", e.Name(), call.View.Query(), dropped, test.want)
			}
			if whole := call.Whole(); (whole.Key("s", "en") != call.Key("s", "en")) != test.want || strings.Contains(whole.Canonical(), "fields") {
				t.Errorf("%s: keys %s and %s", e.Name(), whole.Key("s", "en"), call.Key("s", "en"))
			}
		}
	}
}
