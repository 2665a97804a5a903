package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// loaded is a recording in memory.
type loaded struct {
	site    Site
	places  []knownRoot
	answers map[string]*exchange // by file
	sizes   map[string]int64     // of the files, in bytes
}

// maxReported is how many files of a recording an error names.
const maxReported = 10

// load reads all of a recording. A file that is no part of one is an
// error, and all are told at once: an answer that is missing without a word would
// be looked for in the wrong place. Names that begin with a dot are passed over,
// for what was being written when a process ended, and for version control.
func load(dir string) (*loaded, error) {
	site, err := readSite(dir)
	if err != nil {
		return nil, err
	}
	l := &loaded{site: site, places: site.places(), answers: map[string]*exchange{}, sizes: map[string]int64{}}
	var bad problems
	root := os.DirFS(dir)
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "." || name == siteFile:
			return nil
		case strings.HasPrefix(path.Base(name), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() && path.Dir(name) == ".":
			return nil
		case !d.Type().IsRegular():
			bad.add(dir, name, errors.New("it is no file of a recording"))
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		bad.add(dir, name, l.read(root, name))
		return nil
	})
	return l, errors.Join(err, bad.err())
}

func (l *loaded) read(root fs.FS, name string) error {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	answer, err := decodeExchange(data, name, l.places)
	if err != nil {
		return err
	}
	l.answers[name] = answer
	l.sizes[name] = int64(len(data))
	return nil
}

// problems are those of the files of a recording.
type problems struct {
	told []error
	more int
}

func (p *problems) add(dir, name string, err error) {
	switch {
	case err == nil:
	case len(p.told) < maxReported:
		p.told = append(p.told, fmt.Errorf("%s: %w", filepath.Join(dir, filepath.FromSlash(name)), err))
	default:
		p.more++
	}
}

func (p *problems) err() error {
	if p.more > 0 {
		return errors.Join(append(p.told, fmt.Errorf("and %d more files", p.more))...)
	}
	return errors.Join(p.told...)
}
