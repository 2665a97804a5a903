package rewrite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// TestListsWithGaps: a list that PHP wrote as an object shows the same items, and does not change.
func TestListsWithGaps(t *testing.T) {
	call, err := mappingtest.ParseQuery(t, "events.list", "")
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"events":{"2":{"id":5,"venue":{"0":{"id":"9"}},"organizer":{"1":{"id":7},"3":{"id":8}},"categories":{"1":{"id":3,` +
		`"parent":2}},"tags":{"4":{"id":"x"}}}},"total":1,"total_pages":1}`
	answer, err := testRewriter("").Rewrite(t.Context(), call, 1, http.StatusOK, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want := []mapping.Item{{Resource: "events", ID: "5"}, {Resource: "venues", ID: "9"}, {Resource: "organizers", ID: "7"},
		{Resource: "organizers", ID: "8"}, {Resource: "categories", ID: "3"}, {Resource: "categories", ID: "2"}}
	if diff := cmp.Diff(want, answer.Shows); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if string(answer.Body) != body || answer.Count != (Count{Known: true, Total: 1, Pages: 1}) {
		t.Errorf("%s, %v", answer.Body, answer.Count)
	}
}

// TestTotalsAsTexts: they count, and do not change.
func TestTotalsAsTexts(t *testing.T) {
	call, err := mappingtest.ParseQuery(t, "events.list", "")
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"events":[],"rest_url":"https://api.example/es/calendar/events/v1/events/?page=1&per_page=10","total":"12",` +
		`"total_pages":"2","other":"many"}`
	answer, err := legacyNamesRewriter("").Rewrite(t.Context(), call, 1, http.StatusOK, []byte(body))
	if err != nil || string(answer.Body) != body || answer.Count != (Count{Known: true, Total: 12, Pages: 2}) ||
		answer.Check(call, http.StatusOK) != nil {
		t.Errorf("%s, %v, %v", answer.Body, answer.Count, err)
	}
}

// TestRewriteStops: the pass ends with its context wherever a long body is long, and a short body is
// rewritten all the same.
func TestRewriteStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	call := &mapping.Call{Endpoint: mappingtest.Row(t, "events.read")}
	for name, long := range map[string]string{
		"list":      `{"id":5,"venue":[0%s]}`,
		"object":    `{"id":5,"venue":{"0":0%s}}`,
		"relations": `{"id":5,"_links":{"self":[0%s]}}`,
	} {
		element := ",0"
		if name == "object" {
			element = `,"1":0`
		}
		for n, want := range map[int]error{10: nil, 2 * bytesPerLook: context.Canceled} {
			body := fmt.Sprintf(long, strings.Repeat(element, n))
			if _, err := testRewriter("").Rewrite(ctx, call, 1, http.StatusOK, []byte(body)); !errors.Is(err, want) {
				t.Errorf("%s of %d: %v, want %v", name, n, err, want)
			}
		}
	}
}

// TestUnpairedSurrogates: they stay as they came in all that has text, of lists and of errors.
func TestUnpairedSurrogates(t *testing.T) {
	list, err := mappingtest.ParseQuery(t, "events.list", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, escape := range []string{`\ud83c`, `\uDF89\ud83c`, `\ud83c\u0041`, `\ud83c\/\ud83c\udf89`} {
		for status, body := range map[int]string{
			http.StatusOK: `{"events":[{"id":5,"title":"%s","%[1]s":"%[1]s","website":"https://x.example/%[1]s",` +
				`"organizer":[{"id":7,"email":"%[1]s"}],"image":{"url":"https://x.example/%[1]s"}}],"total":1,"total_pages":1}`,
			http.StatusBadRequest: `{"code":"x","message":"%s lang //x.example/%[1]s","data":{"status":400,"params":{"lang":"lang ` +
				`%[1]s"}}}`,
		} {
			body = fmt.Sprintf(body, escape)
			r := legacyNamesRewriter("")
			got, err := r.Rewrite(t.Context(), list, 1, status, []byte(body))
			if err != nil || string(got.Body) != body {
				t.Errorf("%s: got %s, %v", body, got.Body, err)
				continue
			}
			if old, err := r.Rewrite(t.Context(), inLegacyNames(list), 1, status, []byte(body)); err != nil || string(old.Body) != body {
				t.Errorf("%s: in the legacy's names %s, %v", body, old.Body, err)
			}
		}
	}
}

// TestEmail: an address in entities becomes plain text. The legacy's names keep the entities.
func TestEmail(t *testing.T) {
	for text, want := range map[string]string{
		`&#97;&#46;b&#64;x.example`:        `a.b@x.example`,
		`\u0026#97;@x.example`:             `a@x.example`,
		`a&#34;\\&#92;&#38;#97;@x`:         `a\"\\\\&#97;@x`,
		`&amp;&#x40;&#8364;&#10;&#;&#1234`: `&amp;&#x40;&#8364;&#10;&#;&#1234`,
		`a@x.example \/`:                   `a@x.example \/`,
	} {
		body := func(email string) string {
			return fmt.Sprintf(`{"id":5,"organizer":[{"id":7,"email":"%s","description":"&#97;"}],`+
				`"json_ld":{"organizer":{"email":"%[1]s"}}}`, email)
		}
		r := legacyNamesRewriter("")
		row := mappingtest.Row(t, "events.read")
		got, err := r.Rewrite(t.Context(), &mapping.Call{Endpoint: row}, 1, http.StatusOK, []byte(body(text)))
		if err != nil {
			t.Fatal(text, err)
		}
		if string(got.Body) != body(want) {
			t.Errorf("%s: got %s, want %s", text, got.Body, body(want))
		}
		old, err := r.Rewrite(t.Context(), &mapping.Call{Endpoint: row, InLegacyNames: true}, 1, http.StatusOK, []byte(body(text)))
		if err != nil || string(old.Body) != body(text) {
			t.Errorf("%s: in the legacy's names %s, %v", text, old.Body, err)
		}
	}
}

// BenchmarkDistinctItems reports the time for each of n distinct items, which does not depend on n.
func BenchmarkDistinctItems(b *testing.B) {
	call, err := mappingtest.ParseQuery(b, "events.list", "")
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1_000, 100_000} {
		var events strings.Builder
		for i := range n {
			fmt.Fprintf(&events, `,{"id":%d}`, i+1)
		}
		body := []byte(`{"events":[` + events.String()[1:] + `]}`)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := testRewriter("").Rewrite(b.Context(), call, 1, http.StatusOK, body); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/item")
		})
	}
}
