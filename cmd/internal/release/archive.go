package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string
	mode fs.FileMode
	data []byte
}

// writeArchive writes a .zip for Windows, and a .tar.gz for others. Everything is in one
// directory.
func (r *release) writeArchive(_ context.Context, p program) error {
	name := r.name(p)
	entries, err := r.contents(p, name)
	if err != nil {
		return err
	}
	write, ending := tarGz, ".tar.gz"
	if p.os == "windows" {
		write, ending = zipped, ".zip"
	}
	return r.create(name+ending, func(w io.Writer) error { return write(w, entries, r.time) })
}

// name is the name of a platform's files, without their ending.
func (r *release) name(p program) string {
	return "calfacade_" + r.version + "_" + p.os + "_" + p.arch
}

// contents returns the files of an archive, in their order.
func (r *release) contents(p program, dir string) ([]entry, error) {
	files := []struct{ name, from string }{
		{filepath.Base(p.file), p.file},
		{"CHANGELOG.md", r.src("CHANGELOG.md")},
		{"LICENSE", r.src("LICENSE")},
		{"README.md", r.src("README.md")},
		{"THIRD-PARTY-LICENSES", p.licenses()},
		{"calfacade-purge.php", r.src("cmd/calfacade/wordpress/calfacade-purge.php")},
		{"completions/_calfacade", r.text("_calfacade")},
		{"completions/calfacade.bash", r.text("calfacade.bash")},
		{"completions/calfacade.fish", r.text("calfacade.fish")},
		{"config.example.yaml", r.src("config.example.yaml")},
		{"man/calfacade.1", r.text("calfacade.1")},
	}
	var all []entry
	for _, f := range files {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		mode := fs.FileMode(0o644)
		if f.from == p.file {
			mode = 0o755
		}
		all = append(all, entry{path.Join(dir, f.name), mode, data})
	}
	return all, nil
}

func tarGz(w io.Writer, entries []entry, at time.Time) error {
	z := gzip.NewWriter(w)
	if err := tarred(z, entries, at); err != nil {
		return err
	}
	return z.Close()
}

func tarred(w io.Writer, entries []entry, at time.Time) error {
	t := tar.NewWriter(w)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(e.data)), ModTime: at, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	return t.Close()
}

func zipped(w io.Writer, entries []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// create writes a file of the release.
func (r *release) create(name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// gzipped compresses without a name and a time, as Debian requires.
func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level exists
	_, _ = z.Write(data)                                  // a buffer accepts everything
	_ = z.Close()
	return b.Bytes()
}
