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
	site      Site
	roots     []knownRoot
	exchanges map[string]*exchange // by file
	sizes     map[string]int64     // of the files, in bytes
}

// load reads a recording completely. A file that does not belong to it is an error, and the
// error names all such files, because a response that is silently missing would be looked
// for in the wrong place. Names that begin with a dot are ignored: unfinished files, and
// those of version control.
func load(dir string) (*loaded, error) {
	site, err := readSite(dir)
	if err != nil {
		return nil, err
	}
	l := &loaded{site: site, roots: site.knownRoots(), exchanges: map[string]*exchange{}, sizes: map[string]int64{}}
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
			bad.add(dir, name, errors.New("it does not belong to the recording"))
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
	e, err := decodeExchange(data, name, l.roots)
	if err != nil {
		return err
	}
	l.exchanges[name] = e
	l.sizes[name] = int64(len(data))
	return nil
}

// maxNamed limits how many files an error names.
const maxNamed = 10

// problems collects those of the files of a recording.
type problems struct {
	named []error
	more  int
}

func (p *problems) add(dir, name string, err error) {
	switch {
	case err == nil:
	case len(p.named) < maxNamed:
		p.named = append(p.named, fmt.Errorf("%s: %w", filepath.Join(dir, filepath.FromSlash(name)), err))
	default:
		p.more++
	}
}

func (p *problems) err() error {
	if p.more > 0 {
		return errors.Join(append(p.named, fmt.Errorf("and %d more files", p.more))...)
	}
	return errors.Join(p.named...)
}
