package rewrite

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// BenchmarkRewrite reports MB/s of the legacy's bytes.
func BenchmarkRewrite(b *testing.B) {
	r := testRewriter("")
	single := legacyEvent(5)
	list := legacyList()
	for _, test := range []struct {
		name, endpoint string
		body           []byte
	}{{"list", "events.list", list}, {"single", "events.read", single}} {
		b.Run(test.name, func(b *testing.B) {
			call, err := mappingtest.ParseQuery(b, test.endpoint, "")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(test.body)))
			for b.Loop() {
				if _, err := r.Rewrite(b.Context(), call, 1, http.StatusOK, test.body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// legacyList is a list of ten events as the legacy writes it.
func legacyList() []byte {
	events := make([][]byte, 10)
	for i := range events {
		events[i] = legacyEvent(i + 10)
	}
	return fmt.Appendf(nil,
		`{"events":[%s],"rest_url":"%s\/events\/?page=1&per_page=10","next_rest_url":"%[2]s\/events\/?page=2","total":136,`+
			`"total_pages":14}`,
		bytes.Join(events, []byte(",")), legacyAPI)
}

const legacySite, legacyAPI = `https:\/\/legacy.example\/blog\/es`, `https:\/\/legacy.example\/blog\/es\/wp-json\/tribe\/events\/v1`

// legacyEvent is an event of about 4 KB as the legacy writes it.
func legacyEvent(id int) []byte {
	size := func(w, h int) string {
		return fmt.Sprintf(`{"width":%d,"height":%d,"mime-type":"image\/jpeg","filesize":%d,`+
			`"url":"%s\/wp-content\/uploads\/2026\/08\/harbour-%[1]dx%[2]d.jpg"}`, w, h, w*h/9, legacySite)
	}
	term := func(id int, taxonomy, path string) string {
		return fmt.Sprintf(`{"name":"Music &amp; dance `+
			`%d","slug":"music-%[1]d","term_group":0,"term_taxonomy_id":%[1]d,"taxonomy":"%s","description":"","parent":0,"count":12,`+
			`"filter":"raw","id":%[1]d,"urls":{"self":"%[3]s\/%[4]s\/%[1]d","collection":"%[3]s\/%[4]s"}}`, id, taxonomy, legacyAPI, path)
	}
	details := `{"year":"2026","month":"12","day":"04","hour":"19","minutes":"30","seconds":"00"}`
	venue := fmt.Sprintf(`{"id":%d,"author":"1","status":"publish","date":"2026-08-28 14:00:00","date_utc":"2026-08-28 `+
		`13:00:00","modified":"2026-08-28 14:00:00","modified_utc":"2026-08-28 13:00:00","url":"%s\/venue\/old-harbour-hall\/",`+
		`"venue":"Old `+
		`Harbour Hall","slug":"old-harbour-hall","address":"3 Quay Street","city":"Port Example","country":"Spain","zip":"01234",`+
		`"phone":"+34 555 0100","show_map":true,"show_map_link":true,"global_id":"legacy.example?id=%[1]d",`+
		`"global_id_lineage":["legacy.example?id=%[1]d"]}`,
		id+1000, legacySite)
	return fmt.Appendf(nil,
		`{"id":%d,"global_id":"legacy.example?id=%[1]d","global_id_lineage":["legacy.example?id=%[1]d"],"author":"1","status":"publish",`+
			`"date":"2026-08-28 14:00:00","date_utc":"2026-08-28 13:00:00","modified":"2026-08-28 14:00:00",`+
			`"modified_utc":"2026-08-28 13:00:00",`+
			`"url":"%[2]s\/event\/harbour-lights-%[1]d\/","rest_url":"%[3]s\/events\/%[1]d","title":"Harbour Lights &#8211; Gala `+
			`#%[1]d","description":"<p>An evening of light, brass and tea on the quay. Bring a coat; the wind comes off the water after `+
			`eight.<\/p>\n<p>See <a href=\"%[2]s\/harbour\/\">how to get there<\/a>.<\/p>","excerpt":"<p>Light &amp; `+
			`brass.<\/p>","slug":"harbour-lights-%[1]d",`+
			`"image":{"url":"%[2]s\/wp-content\/uploads\/2026\/08\/harbour.jpg","id":77,"extension":"jpg","width":1600,"height":900,`+
			`"filesize":160000,"sizes":{"medium":%[4]s,"large":%[5]s,"thumbnail":%[6]s}},`+
			`"all_day":false,"start_date":"2026-12-04 19:30:00","start_date_details":%[7]s,"end_date":"2026-12-04 `+
			`22:00:00","end_date_details":%[7]s,"utc_start_date":"2026-12-04 18:30:00","utc_start_date_details":%[7]s,`+
			`"utc_end_date":"2026-12-04 `+
			`21:00:00","utc_end_date_details":%[7]s,"timezone":"Europe\/Madrid","timezone_abbr":"CET","cost":"12",`+
			`"cost_details":{"currency_symbol":"\u20ac","currency_code":"EUR","currency_position":"prefix","values":["12"]},"website":"",`+
			`"show_map":true,"show_map_link":true,"hide_from_listings":false,"sticky":false,"featured":true,`+
			`"categories":[%[8]s],"tags":[%[9]s],"venue":%[10]s,"organizer":[]}`,
		id, legacySite, legacyAPI, size(300, 169), size(1024, 576), size(150, 150), details,
		term(id+2000, "tribe_events_cat", "categories"), term(id+3000, "post_tag", "tags"), venue)
}

// BenchmarkLegacyForm rewrites a list into the legacy's names.
func BenchmarkLegacyForm(b *testing.B) {
	call, err := mappingtest.ParseQuery(b, "events.list", "")
	if err != nil {
		b.Fatal(err)
	}
	list := legacyList()
	r := legacyNamesRewriter("")
	b.ReportAllocs()
	b.SetBytes(int64(len(list)))
	for b.Loop() {
		if _, err := r.Rewrite(b.Context(), inLegacyNames(call), 1, http.StatusOK, list); err != nil {
			b.Fatal(err)
		}
	}
}
