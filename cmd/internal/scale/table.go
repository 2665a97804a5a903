package scale

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Row is a case with its result, as docs/pictures/scaling.csv has it.
type Row struct {
	Group, Name       string
	Instances, Fronts int
	Result
}

// Of returns the row of a case.
func (c Case) Of(r Result) Row {
	return Row{c.Group, c.Name, c.Setup.Instances, c.Setup.Fronts, r}
}

// column is a number of a row.
type column struct {
	name  string
	field func(*Row) any // *int, *float64 or *time.Duration
}

var columns = []column{
	{"instances", func(r *Row) any { return &r.Instances }},
	{"fronts", func(r *Row) any { return &r.Fronts }},
	{"requests", func(r *Row) any { return &r.Requests }},
	{"front_hits", func(r *Row) any { return &r.FrontHits }},
	{"hits", func(r *Row) any { return &r.Hits }},
	{"site_calls", func(r *Row) any { return &r.SiteCalls }},
	{"site_peak", func(r *Row) any { return &r.SitePeak }},
	{"redis_idle", func(r *Row) any { return &r.Idle }},
	{"redis_entries", func(r *Row) any { return &r.Entries }},
	{"redis_purges", func(r *Row) any { return &r.Purges }},
	{"purges_to_instances", func(r *Row) any { return &r.ToCaches }},
	{"purges_to_fronts", func(r *Row) any { return &r.ToFronts }},
	{"stale_per_million", func(r *Row) any { return &r.Staleness.PerMillion }},
	{"stale_p50_ms", func(r *Row) any { return &r.Staleness.P50 }},
	{"stale_p99_ms", func(r *Row) any { return &r.Staleness.P99 }},
	{"stale_max_ms", func(r *Row) any { return &r.Staleness.Max }},
}

// Write writes rows as CSV.
func Write(w io.Writer, rows []Row) error {
	out := csv.NewWriter(w)
	records := [][]string{{"group", "name"}}
	for _, c := range columns {
		records[0] = append(records[0], c.name)
	}
	for _, r := range rows {
		record := []string{r.Group, r.Name}
		for _, c := range columns {
			record = append(record, text(c.field(&r)))
		}
		records = append(records, record)
	}
	return out.WriteAll(records)
}

func text(field any) string {
	switch v := field.(type) {
	case *int:
		return strconv.Itoa(*v)
	case *float64:
		return strconv.FormatFloat(*v, 'f', 3, 64)
	}
	return strconv.FormatInt(field.(*time.Duration).Milliseconds(), 10)
}

// Read reads what Write wrote.
func Read(r io.Reader) ([]Row, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, err
	}
	var rows []Row
	for n, record := range records[1:] {
		if len(record) != len(columns)+2 {
			return nil, fmt.Errorf("record %d has %d fields, want %d", n+1, len(record), len(columns)+2)
		}
		row := Row{Group: record[0], Name: record[1]}
		for i, c := range columns {
			if err := parse(c.field(&row), record[i+2]); err != nil {
				return nil, fmt.Errorf("record %d, %s: %w", n+1, c.name, err)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func parse(field any, text string) (err error) {
	switch v := field.(type) {
	case *int:
		*v, err = strconv.Atoi(text)
	case *float64:
		*v, err = strconv.ParseFloat(text, 64)
	case *time.Duration:
		var ms int64
		ms, err = strconv.ParseInt(text, 10, 64)
		*v = time.Duration(ms) * time.Millisecond
	}
	return err
}
