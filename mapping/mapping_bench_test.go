package mapping

import (
	"net/http"
	"testing"
)

// BenchmarkKey is what a hit costs in this package: from the raw query of five
// parameters to the key.
func BenchmarkKey(b *testing.B) {
	const query = "per_page=20&page=2&start_date=2026-01-01&categories=12,7&search=jazz+night"
	e := row(b, "events.list")
	decoded, err := DecodeQuery(query)
	if err != nil {
		b.Fatal(err)
	}
	call, err := Parse(e, http.MethodGet, Input{Query: decoded}, Drop)
	if err != nil {
		b.Fatal(err)
	}
	steps := []struct {
		name string
		do   func() error
	}{
		{"decode", func() error { _, err := DecodeQuery(query); return err }},
		{"parse", func() error { _, err := Parse(e, http.MethodGet, Input{Query: decoded}, Drop); return err }},
		{"key", func() error { call.Key("en"); return nil }},
		{"whole", func() error {
			n, err := DecodeQuery(query)
			if err != nil {
				return err
			}
			c, err := Parse(e, http.MethodGet, Input{Query: n}, Drop)
			if err == nil {
				c.Key("en")
			}
			return err
		}},
	}
	for _, step := range steps {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := step.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
