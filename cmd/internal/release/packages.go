package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// nfpm makes packages. This is the newest release whose own dependencies the module proxy has.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

// maintainer is who Debian's tools name, as package/nfpm.yaml does.
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

// setTimes gives every file the time of the commit: packages have those of their files.
func (r *release) setTimes() error {
	return filepath.WalkDir(r.work, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		return os.Chtimes(file, r.time, r.time)
	})
}

// packageVersion writes what is before a release such that packages sort it before: the
// version 1.0.1-0.20261123-abc is 1.0.1~0.20261123.abc.
func packageVersion(version string) string {
	release, before, found := strings.Cut(version, "-")
	if !found {
		return release
	}
	return release + "~" + strings.NewReplacer("-", ".", "+", ".").Replace(before)
}
