package tec

import (
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// TestRecordedDifferences compares items that were read from one site by both its interfaces: what the dialect
// makes of the successor's record is the legacy's record, but for the known differences.
func TestRecordedDifferences(t *testing.T) {
	rules := compare.Rules{
		// The site had other words in its URLs, and an event was touched, between the two. Terms and images are read
		// beside the event.
		Ignore: []string{"url", "rest_url", "modified", "modified_utc", "categories", "tags", "image"},
		Known:  Differences(),
	}
	comparer, err := rules.Compile()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	compared := 0
	for _, resource := range []string{"events", "venues", "organizers"} {
		row := mappingtest.Row(t, resource+".read")
		bodies := legacyItems(t, resource)
		for _, file := range recordedtest.Files(t, "tec/*/"+resource+"-read*") {
			x := recordedtest.Read(t, file)
			id, _ := mapping.ItemID(x.Response.Body)
			want := bodies[x.As+" "+id]
			if x.Response.Status != http.StatusOK || want == nil || strings.Contains(x.Request.Path, "?") {
				continue
			}
			call, err := mappingtest.ParseBody(t, row.Name(), id, "", "")
			if err != nil {
				t.Fatal(err)
			}
			reply, err := convert(backend, call, mapping.Reply{Status: http.StatusOK, Body: x.Response.Body}, "", respond("[]"))
			if err != nil {
				t.Fatal(file, err)
			}
			reference := compare.Document{Status: http.StatusOK, Body: want}
			result, err := comparer.Compare(row.Name(), reference, compare.Document{Status: reply.Status, Body: reply.Body},
				func() (compare.Document, error) { return reference, nil })
			if err != nil {
				t.Fatal(file, err)
			}
			for _, d := range result.Differences {
				t.Errorf("%s: %+v", file, d)
			}
			for name, n := range result.Known {
				counts[name] += n
			}
			compared++
		}
	}
	if compared < 20 || len(counts) < 9 {
		t.Errorf("%d items compared, known differences %v", compared, counts)
	}
}

// legacyItems returns the records of items in recordings of the legacy, by user and id.
func legacyItems(t *testing.T, resource string) map[string][]byte {
	items := map[string][]byte{}
	for _, file := range recordedtest.Files(t, resource+"/*/*") {
		x := recordedtest.Read(t, file)
		id, ok := mapping.ItemID(x.Response.Body)
		if ok && x.Request.Method == http.MethodGet && strings.HasSuffix(x.Request.Path, "/"+resource+"/"+id) &&
			jsonscan.Get(x.Response.Body, "status") != nil && recordedtest.Part(file) == "1" {
			items[x.As+" "+id] = x.Response.Body
		}
	}
	return items
}
