package scale

import (
	"bytes"
	"flag"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	// table makes TestTable simulate the cases of docs/scaling.md.
	table = flag.String("table", "", "write the results of all cases to this file, which takes minutes")
	// group limits it to some of them.
	group = flag.String("group", "", "with -table: simulate only the cases of this group, and leave the others as they are")
)

// TestTable writes docs/pictures/scaling.csv: with
//
//	go test ./cmd/internal/scale -run '^TestTable$' -timeout 1h -table ../../../docs/pictures/scaling.csv
func TestTable(t *testing.T) {
	if *table == "" {
		t.Skip("without -table")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a bubble gains nothing by a second processor
	var rows []Row
	for _, c := range Cases() {
		if *group != "" && c.Group != *group {
			rows = append(rows, rowOf(t, *table, c)...)
			continue
		}
		began := time.Now()
		rows = append(rows, c.Of(run(t, c.Setup)))
		t.Logf("%s, %s, %d instances, %d in front: %s", c.Group, c.Name, c.Setup.Instances, c.Setup.Fronts, time.Since(began))
	}
	var b bytes.Buffer
	if err := Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*table, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// rowOf returns the row of a case in a file, if it has one.
func rowOf(t *testing.T, file string, c Case) (some []Row) {
	t.Helper()
	for _, r := range readRows(t, file) {
		if r.Group == c.Group && r.Name == c.Name && r.Instances == c.Setup.Instances && r.Fronts == c.Setup.Fronts {
			some = append(some, r)
		}
	}
	return some
}

func readRows(t *testing.T, file string) []Row {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func run(t *testing.T, s Setup) (r Result) {
	t.Helper()
	synctest.Test(t, func(*testing.T) { r = Run(s) })
	return r
}

// small is a setup that takes little time.
func small() Setup {
	s := Default()
	s.Instances, s.Items, s.Pages, s.Requests, s.Edits = 4, 200, 5, 200, 3600
	s.WarmUp, s.Measured = 20*time.Second, 40*time.Second
	return s
}

// TestDeterministic: the same seed gives the same table, and another one another table.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	s := small()
	s.Fronts, s.LostPurges = 3, 0.1
	first := run(t, s)
	if diff := cmp.Diff(first, run(t, s)); diff != "" {
		t.Errorf("the same seed (-first +second):\n%s", diff)
	}
	s.Seed = 2
	if cmp.Equal(first, run(t, s)) {
		t.Error("another seed gives the same result")
	}
}

// TestBound: no client gets an answer that is outdated for longer than the bound, if no purge
// is lost; and some do if one is.
func TestBound(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Setup){
		"one instance":          func(s *Setup) { s.Instances = 1 },
		"instances":             func(*Setup) {},
		"more than acknowledge": func(s *Setup) { s.Instances, s.WarmUp = 70, 0 },
		"without leases":        func(s *Setup) { s.NoLeases = true },
		"without Redis":         func(s *Setup) { s.NoRedis, s.Writes = true, 0 },
		"caches in front":       func(s *Setup) { s.Fronts = 5 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := small()
			change(&s)
			got := run(t, s).Staleness
			if got.Max == 0 || got.Max > s.Bound() || s.Bound() > 3*time.Second {
				t.Errorf("outdated for up to %s, want at most %s", got.Max, s.Bound())
			}
			s.LostPurges = 0.3
			if lost := run(t, s).Staleness; lost.Max <= s.Bound() {
				t.Errorf("outdated for up to %s although purges are lost, which the bound of %s excludes", lost.Max, s.Bound())
			}
		})
	}
}

// TestSiteCalls: with Redis the calls to the site do not grow with the instances; without it
// they do, and leases spare some.
func TestSiteCalls(t *testing.T) {
	t.Parallel()
	calls := func(instances int, change func(*Setup)) float64 {
		s := small()
		s.Instances = instances
		change(&s)
		return run(t, s).SiteCalls
	}
	with := func(*Setup) {}
	one, many := calls(1, with), calls(32, with)
	if many > 1.1*one {
		t.Errorf("%.1f calls a second with one instance and %.1f with 32", one, many)
	}
	if alone := calls(32, func(s *Setup) { s.NoRedis = true }); alone < 3*many {
		t.Errorf("%.1f calls a second with Redis and %.1f without", many, alone)
	}
	if unleased := calls(32, func(s *Setup) { s.NoLeases = true }); unleased < 1.1*many {
		t.Errorf("%.1f calls a second with leases and %.1f without", many, unleased)
	}
}

// TestWriteAndRead: what is written is read.
func TestWriteAndRead(t *testing.T) {
	want := []Row{Cases()[0].Of(Result{Requests: 1.5, Staleness: Staleness{P50: time.Second}})}
	var b bytes.Buffer
	if err := Write(&b, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
