package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
)

// nfpm makes packages. This is the newest release whose own dependencies the module proxy has.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

// maintainer is the maintainer of the packages, as in package/nfpm.yaml.
const maintainer = "calfacade authors <calfacade@users.noreply.github.com>"

// writePackages writes a .deb and an .rpm.
func (r *release) writePackages(ctx context.Context, p program) error {
	if err := r.setTimes(); err != nil {
		return err
	}
	for _, kind := range []string{"deb", "rpm"} {
		if _, err := r.command(ctx, r.work, "env", "ARCH="+p.arch,
			"go", "run", nfpm, "package", "-f", r.src("cmd/internal/release/package/nfpm.yaml"), "-p", kind, "-t", r.out); err != nil {
			return err
		}
	}
	return nil
}

// setTimes sets the time of every file to that of the commit, since packages contain it.
func (r *release) setTimes() error {
	return filepath.WalkDir(r.work, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		return os.Chtimes(file, r.time, r.time)
	})
}
