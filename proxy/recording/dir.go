package recording

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// unfinished begins the names of files that are being written.
const unfinished = ".tmp-"

// openDir prepares the directory, which also shows that it is writable.
func (r *Recorder) openDir(site *Site) error {
	dir := r.options.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	before, err := load(dir, r.options.Checked)
	switch {
	case errors.Is(err, errNoRecording):
		if err := checkEmpty(dir); err != nil {
			return err
		}
	case err != nil:
		return err
	case !sameBackends(before.site.Backends, site.Backends):
		return fmt.Errorf("%s is a recording of other backends: its %s lists them", dir, siteFile)
	default:
		site.Made, site.Program = before.site.Made, before.site.Program
		r.calls, r.bytes = before.calls, before.bytes
	}
	err = os.Chmod(dir, 0o700) // #nosec G302 -- a directory
	if err != nil {
		return err
	}
	if err := removeUnfinished(dir); err != nil {
		return err
	}
	data, err := encodeReadably(site)
	if err != nil {
		return err
	}
	return r.replace(siteFile, data)
}

// checkEmpty refuses a directory that holds other files. Like [load], it ignores names that
// begin with a dot.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("%s is not empty and not a recording", dir)
		}
	}
	return nil
}

// removeUnfinished removes files that a process was writing when it ended.
func removeUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinished) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// sameBackends compares what the file would hold: nil and empty lists are equal.
func sameBackends(a, b []Backend) bool {
	one, err := encodeReadably(a)
	if err != nil {
		return false
	}
	other, err := encodeReadably(b)
	return err == nil && bytes.Equal(one, other)
}

// path returns the path of a file of the recording.
func (r *Recorder) path(name string) string {
	return filepath.Join(r.options.Dir, filepath.FromSlash(name))
}

// replace writes a complete file, or leaves the previous one.
func (r *Recorder) replace(name string, data []byte) (err error) {
	file := r.path(name)
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
		_ = os.Remove(f.Name()) // the cause is in err
	}
	return err
}
