package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// columns are the columns of report.csv. Programs read them by name: new ones go to the end.
var columns = []struct {
	name  string
	value func(*Finding) string
}{
	{"weight", func(f *Finding) string { return string(f.Weight) }},
	{"language", func(f *Finding) string { return f.Language }},
	{"resource", func(f *Finding) string { return f.Resource }},
	{"id", func(f *Finding) string { return f.ID }},
	{"candidate_id", func(f *Finding) string { return f.CandidateID }},
	{"member", func(f *Finding) string { return f.Member }},
	{"kind", func(f *Finding) string { return string(f.Kind) }},
	{"legacy_value", func(f *Finding) string { return f.Want }},
	{"candidate_value", func(f *Finding) string { return f.Got }},
	{"responses", func(f *Finding) string { return strconv.Itoa(f.Responses) }},
	{"url", func(f *Finding) string { return f.URL }},
	{"legacy_url", func(f *Finding) string { return f.Legacy.URL }},
	{"candidate_url", func(f *Finding) string { return f.Candidate.URL }},
	{"name", func(f *Finding) string { return f.Name }},
}

// writeCSV writes the listed findings, one a row (RFC 4180, UTF-8), below a row of names.
func (r *Report) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	row := make([]string, len(columns))
	for i := range columns {
		row[i] = columns[i].name
	}
	_ = out.Write(row) // Error returns the error
	for i := range r.Findings {
		for j := range columns {
			row[j] = noFormula(columns[j].value(&r.Findings[i]))
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// noFormula puts an apostrophe before a text that a spreadsheet would evaluate as a formula.
func noFormula(s string) string {
	if first, size := utf8.DecodeRuneInString(strings.TrimLeft(s, " \u00a0")); size > 0 && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + s
	}
	return s
}
