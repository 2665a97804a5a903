package sim

import "testing"

// TestLookupsFollowWrites: what a site finds out of its content once is found out again after a
// write.
func TestLookupsFollowWrites(t *testing.T) {
	t.Parallel()
	c := newClient(t).as("editor")
	tag := c.site.blogs["en"].findTerm(tagTaxonomy, "step-free")
	count := func() float64 { return c.get(api + "/tags/" + itoa(tag.id))["count"].(float64) }
	before, events := count(), c.total(api+"/events?"+everything)
	made := c.send(201, "POST", api+"/events", `{"title":"Lookup","start_date":"2027-05-01 10:00:00","end_date":"2027-05-01 11:00:00","tags":[`+itoa(tag.id)+`]}`)
	if got := c.get(api + "/events/by-slug/lookup")["id"]; got != made["id"] {
		t.Errorf("by its slug: %v, want %v", got, made["id"])
	}
	if n, total := count(), c.total(api+"/events?"+everything); n != before+1 || total != events+1 {
		t.Errorf("%v events with the tag, %d in all, want %v and %d", n, total, before+1, events+1)
	}
}
