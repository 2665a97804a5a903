// Command distil makes the recordings of the tests from recordings of real sites. Below mapping/testdata/recordings it writes
// a directory for each part, with an archive for each resource or kind of site.
//
//	go run ./mapping/recordedtest/distil PART=DIRECTORY...
//
// A directory was written by "calfacade record", or has the form of the recordings, resource/language/name.json. Texts
// by WordPress and its plugins have another license than this project: each becomes a mark, or a reference to an equal
// text of the catalogs. Everything else stays byte for byte. A text that is neither marked nor seeded is an error, and
// nothing is written: a word of the text is in no request and not in seeded.txt. List the words of your own content.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// seededWords are the words of the content of the recorded sites.
//
//go:embed seeded.txt
var seededWords string

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("distil", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "mapping/testdata/recordings", "`DIRECTORY` of the archives")
	if flags.Parse(args) != nil || flags.NArg() == 0 {
		return 2
	}
	d := newDistiller()
	if err := d.run(flags.Args(), *out); err != nil {
		fmt.Fprintln(stderr, "distil:", err)
		return 1
	}
	for _, text := range slices.Sorted(maps.Keys(d.unknown)) {
		fmt.Fprintf(stderr, "distil: neither seeded nor marked: %s of %.200q\n", d.unknown[text], text)
	}
	return min(len(d.unknown), 1)
}

// run distils the parts, or finds unknown texts. All parts are read first: a request of any part seeds its words.
func (d *distiller) run(parts []string, out string) error {
	sources := map[string][]source{}
	for _, arg := range parts {
		part, dir, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%q is not PART=DIRECTORY", arg)
		}
		var err error
		if sources[part], err = readSources(dir); err != nil {
			return err
		}
		for _, s := range sources[part] {
			d.learnRequest(s)
		}
	}
	archives := map[string]*txtar.Archive{}
	for part, list := range sources {
		for _, s := range list {
			kind, name, _ := strings.Cut(s.name, "/")
			data, err := d.exchange(s)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			file := filepath.Join(out, part, kind+".txtar")
			if archives[file] == nil {
				archives[file] = new(txtar.Archive)
			}
			archives[file].Files = append(archives[file].Files, txtar.File{Name: name, Data: data})
		}
	}
	if len(d.unknown) > 0 {
		return nil
	}
	for file, archive := range archives {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
			return err
		}
	}
	return nil
}
