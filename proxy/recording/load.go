package recording

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// loaded is a recording that was checked. The responses stay in their files.
type loaded struct {
	site  Site
	roots []knownRoot
	calls int
	bytes int64 // of the files of the calls
}

// Checked receives how many files of a recording have been checked, of how many.
type Checked func(done, all int)

// load reads every file of a recording, each worker one at a time. A file that does not
// belong to it is an error, and the error names all such files, because a response that is
// silently missing would be looked for in the wrong place. Names that begin with a dot are
// ignored: unfinished files, and those of version control.
func load(dir string, show Checked) (*loaded, error) {
	site, err := readSite(dir)
	if err != nil {
		return nil, err
	}
	c := checker{loaded: loaded{site: site, roots: site.knownRoots()}, dir: dir, show: show}
	if show == nil {
		c.show = func(int, int) {}
	}
	top, err := visible(dir, ".")
	if err != nil {
		return nil, err
	}
	top = slices.DeleteFunc(top, func(e os.DirEntry) bool { return e.Name() == siteFile })
	if err := c.count(top); err != nil {
		return nil, err
	}
	for _, e := range top {
		if !e.IsDir() {
			c.check(".", []os.DirEntry{e})
			continue
		}
		inside, err := visible(dir, e.Name())
		if err != nil {
			return nil, err
		}
		c.check(e.Name(), inside)
	}
	return &c.loaded, c.bad.err()
}

// visible returns the entries of a folder of a recording, without hidden ones.
func visible(dir, folder string) ([]os.DirEntry, error) {
	all, err := os.ReadDir(filepath.Join(dir, folder))
	return slices.DeleteFunc(all, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }), err
}

// checker checks the files of a recording, one folder after the other: it holds the names of
// one folder, a 256th of all, and the content of a file for each worker.
type checker struct {
	loaded
	dir  string
	show Checked
	all  int // files
	done atomic.Int64
	bad  problems
}

// count counts the files in the folders of top.
func (c *checker) count(top []os.DirEntry) error {
	for _, e := range top {
		inside := []os.DirEntry{e}
		if e.IsDir() {
			var err error
			if inside, err = visible(c.dir, e.Name()); err != nil {
				return err
			}
		}
		c.all += len(inside)
	}
	return nil
}

// maxCheckers limits how many files are checked at once.
const maxCheckers = 8

// check checks the entries of a folder. Problems are in their order.
func (c *checker) check(folder string, entries []os.DirEntry) {
	errs := make([]error, len(entries))
	sizes := make([]int64, len(entries))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), maxCheckers, len(entries)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(entries); i = next.Add(1) - 1 {
				sizes[i], errs[i] = c.checkFile(path.Join(folder, entries[i].Name()), entries[i])
				c.show(int(c.done.Add(1)), c.all)
			}
		})
	}
	workers.Wait()
	for i, e := range entries {
		c.bad.add(c.dir, path.Join(folder, e.Name()), errs[i])
		if errs[i] == nil {
			c.calls++
			c.bytes += sizes[i]
		}
	}
}

func (c *checker) checkFile(name string, e os.DirEntry) (size int64, err error) {
	if !e.Type().IsRegular() {
		return 0, errors.New("it does not belong to the recording")
	}
	data, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)))
	if err != nil {
		return 0, err
	}
	return int64(len(data)), checkExchange(data, name, c.roots)
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
