package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/compare"
)

// BenchmarkDocuments compares two lists of 40 KB, and reports MB/s of both.
func BenchmarkDocuments(b *testing.B) {
	var items []any
	for _, s := range samples(b) {
		for s.name == "example en events.read" && len(items) < 8 {
			items = append(items, s.body)
		}
	}
	var texts []string
	for i, item := range items {
		texts = append(texts, strings.Replace(encode(b, item), `"id":152`, fmt.Sprintf(`"id":%d`, 1000+i), 1))
	}
	list := func(items []string) string {
		return `{"events":[` + strings.Join(items, ",") + `],"total":136,"total_pages":14}`
	}
	document := list(texts)
	spelled := strings.ReplaceAll(document, `,"`, `, "`)
	changed := strings.ReplaceAll(document, `"Europe/London"`, `"Europe/Paris"`)
	texts[0], texts[7] = texts[7], texts[0]
	for _, test := range []struct{ name, got string }{
		{"same", document}, {"spelled", spelled}, {"changed", changed}, {"order", list(texts)}, {"none", `{}`},
	} {
		b.Run(test.name, func(b *testing.B) {
			c := comparer(b, compare.Default())
			want := ok(document)
			got := ok(test.got)
			b.SetBytes(int64(len(want.Body) + len(got.Body)))
			b.ReportAllocs()
			for b.Loop() {
				c.Documents("events.list", want, got)
			}
		})
	}
}
