package mapping

import (
	"net/http"
	"testing"
)

// BenchmarkKey measures the cost of a new target in this package: from the raw query to the
// key.
func BenchmarkKey(b *testing.B) {
	for _, query := range []string{"", "per_page=20&page=2&start_date=2026-01-01&categories=12,7&search=jazz+night"} {
		b.Run("events?"+query, func(b *testing.B) { benchKey(b, query) })
	}
}

func benchKey(b *testing.B, query string) {
	e := row(b, "events.list")
	decode := func() Node {
		q, err := DecodeForm(query)
		if err != nil {
			b.Fatal(err)
		}
		return q
	}
	parse := func(q Node) *Call {
		call, err := Parse(e, http.MethodGet, Input{Query: q}, Drop)
		if err != nil {
			b.Fatal(err)
		}
		return call
	}
	decoded := decode()
	call := parse(decoded)
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"decode", func() { decode() }},
		{"parse", func() { parse(decoded) }},
		{"key", func() { call.Key("s", "en") }},
		{"whole", func() { parse(decode()).Key("s", "en") }},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step.do()
			}
		})
	}
}
