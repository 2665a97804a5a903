package recording

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// openDir makes the directory ready, which shows that it can be written.
func (r *Recorder) openDir(about *Site) error {
	dir := r.options.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	before, err := load(dir)
	switch {
	case errors.Is(err, errNoRecording):
		if err := isFree(dir); err != nil {
			return err
		}
	case err != nil:
		return err
	case !sameBackends(before.site.Backends, about.Backends):
		return fmt.Errorf("%s is a recording of other backends: its %s tells of which", dir, siteFile)
	default:
		about.Made, about.Program = before.site.Made, before.site.Program
		r.sizes = before.sizes
		for _, size := range before.sizes {
			r.bytes += size
		}
	}
	err = os.Chmod(dir, 0o700) // #nosec G302 -- a directory
	if err != nil {
		return err
	}
	if err := sweep(dir); err != nil {
		return err
	}
	data, err := encodeReadably(about)
	if err != nil {
		return err
	}
	return r.replace(siteFile, data)
}

// isFree refuses a directory that holds something of somebody else's. What does
// not show is passed over, as [loadRecording] does.
func isFree(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("%s is not empty, and no recording", dir)
		}
	}
	return nil
}

// sweep removes what a process that ended in the middle was writing.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinished) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// sameBackends compares as the file does: no aliases are no aliases.
func sameBackends(a, b []Backend) bool {
	one, err := encodeReadably(a)
	if err != nil {
		return false
	}
	other, err := encodeReadably(b)
	return err == nil && bytes.Equal(one, other)
}

// replace writes a file whole, or leaves what was there.
func (r *Recorder) replace(name string, data []byte) (err error) {
	file := filepath.Join(r.options.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(r.options.Dir, unfinished+"*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // err tells what matters
	}
	return err
}
