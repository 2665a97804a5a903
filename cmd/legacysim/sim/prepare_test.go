package sim

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// made are the pieces that the recordings made and then worked on, with the
// ids that they had.
var made = []struct {
	path       string
	id         int
	slug, body string
}{
	{"events", 630, "recorded-event", `{"title":"Piece","slug":"recorded-event","excerpt":"x","description":"x",` +
		`"start_date":"2027-03-01 19:00:00","end_date":"2027-03-01 21:00:00","timezone":"Europe/London","cost":"12.5","venue":105}`},
	{"events", 663, "to-force", `{"title":"To force","slug":"to-force","start_date":"2027-03-01","end_date":"2027-03-01"}`},
	{"events", 665, "delete-by-slug", `{"title":"To delete by slug","slug":"delete-by-slug","start_date":"2027-03-01",` +
		`"end_date":"2027-03-01"}`},
	{"venues", 667, "recorded-venue", `{"venue":"Recorded venue","address":"x","city":"x","country":"x","zip":"x","website":"https://` +
		`x.example","description":"<p>é \"q\"</p>"}`},
	{"venues", 672, "slugged-venue", `{"venue":"Slugged venue"}`},
	{"organizers", 674, "recorded-organizer", `{"organizer":"Recorded organizer","phone":"1","email":"x@x.example","website":"https:/` +
		`/x.example","description":"<p>é \"q\"</p>"}`},
	{"organizers", 679, "slugged-organizer", `{"organizer":"Slugged organizer"}`},
	{"categories", 68, "recorded-category", `{"name":"Recorded category & \"q\" é","slug":"recorded-category","parent":10}`},
	{"tags", 70, "recorded-tag", `{"name":"Recorded tag & \"q\" é","slug":"recorded-tag"}`},
}

// prepare makes the pieces that the exchange works on.
func (tr *translation) prepare(t *testing.T, s *Site, x exchange) {
	t.Helper()
	create := strings.HasPrefix(x.Name, "create-")
	for _, m := range made {
		path := "/wp-json/tribe/events/v1/" + m.path
		if !strings.HasPrefix(x.file, m.path+"/en/") || create && x.Name != "create-same-again" {
			continue
		}
		rec := asAdmin(s, http.MethodPost, path, tr.text(t, path, m.body))
		var got struct{ ID int }
		if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Code != 201 {
			t.Fatalf("preparing %s: %d %s", m.slug, rec.Code, rec.Body)
		}
		tr.posts[m.id] = got.ID
		tr.terms[m.id] = got.ID
		tr.seeded[m.id] = true
		if e, ok := earlier[x.Name]; ok {
			asAdmin(s, e.method, path+"/"+itoa(got.ID), e.body)
		}
	}
	if x.Name == "create-html-and-script-as-author" {
		asAdmin(s, http.MethodPost, "/wp-json/tribe/events/v1/events",
			`{"title":"T x 1","start_date":"2027-03-01","end_date":"2027-03-01"}`)
	}
}

// earlier is the state of the pieces before an exchange.
var earlier = map[string]struct{ method, body string }{
	"update-empty":              {http.MethodPut, `{"excerpt":"Short"}`},
	"update-by-slug-anonymous":  {http.MethodPut, `{"slug":"renamed-event"}`},
	"update-after-delete":       {http.MethodDelete, ""},
	"delete-again":              {http.MethodDelete, ""},
	"delete-by-slug-again":      {http.MethodDelete, ""},
	"get-after-delete":          {http.MethodDelete, ""},
	"get-after-delete-as-admin": {http.MethodDelete, ""},
	"get-after-force-delete":    {http.MethodDelete, ""},
}

func asAdmin(s *Site, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, recordedHost+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth(Users[0].Name, Users[0].Password)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, r)
	return rec
}
