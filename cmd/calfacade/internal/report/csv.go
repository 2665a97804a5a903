package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
)

// columns are the columns of report.csv. Programs read them by name: new ones go to the end.
var columns = []struct {
	name  string
	value func(causes.Finding) string
}{
	{"weight", func(f causes.Finding) string { return string(f.Weight) }},
	{"language", func(f causes.Finding) string { return f.Language }},
	{"resource", func(f causes.Finding) string { return f.Resource }},
	{"id", func(f causes.Finding) string { return f.ID }},
	{"candidate_id", func(f causes.Finding) string { return f.CandidateID }},
	{"member", func(f causes.Finding) string { return f.Member }},
	{"kind", func(f causes.Finding) string { return string(f.Kind) }},
	{"legacy_value", func(f causes.Finding) string { return f.Want }},
	{"candidate_value", func(f causes.Finding) string { return f.Got }},
	{"responses", func(f causes.Finding) string { return strconv.Itoa(f.Responses) }},
	{"url", func(f causes.Finding) string { return f.URL }},
	{"legacy_url", func(f causes.Finding) string { return f.Best().Legacy.URL }},
	{"candidate_url", func(f causes.Finding) string { return f.Best().Candidate.URL }},
	{"legacy_file", func(f causes.Finding) string { return f.Best().Legacy.File }},
	{"candidate_file", func(f causes.Finding) string { return f.Best().Candidate.File }},
}

// writeCSV writes the listed findings, one a row (RFC 4180, UTF-8), below a row of names.
func (r Report) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	row := make([]string, len(columns))
	for i := range columns {
		row[i] = columns[i].name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for _, f := range r.Result.Findings {
		for i := range columns {
			row[i] = noFormula(columns[i].value(f))
		}
		if err := out.Write(row); err != nil {
			return err
		}
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
