package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// release is one run of the command.
type release struct {
	out     string    // directory of the files
	work    string    // temporary directory: src has the clone, texts what the program prints
	time    time.Time // of the commit
	version string    // as "calfacade version" prints it, without the v
}

// text is a file with what the program prints.
func (r *release) text(name string) string { return filepath.Join(r.work, "texts", name) }

// program is the program for a platform.
type program struct {
	os, arch string
	file     string
	info     *buildinfo.BuildInfo
	modules  []module
}

func (p program) version() string { return strings.TrimPrefix(p.info.Main.Version, "v") }

// licenses is the file with the licenses of what a program contains. Their texts must be
// distributed with it.
func (p program) licenses() string {
	return filepath.Join(filepath.Dir(p.file), "THIRD-PARTY-LICENSES")
}

// module is what a program contains: a module, Go itself, or the documentation page.
type module struct {
	name, version string
	sum           string // of a module, as in go.sum
	texts         []license
}

// license is a file with the conditions of a module.
type license struct {
	file, text string
}

func (r *release) src(path ...string) string {
	return filepath.Join(r.work, "src", filepath.Join(path...))
}

// command runs a command in a directory, and returns its standard output without spaces
// around it.
func (r *release) command(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir = dir
	// These settings affect the bytes, and are not part of the commit.
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath", "LC_ALL=C", "TZ=UTC")
	if !r.time.IsZero() {
		c.Env = append(c.Env, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix()), "VERSION="+packageVersion(r.version))
	}
	out, err := c.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// packageVersion returns a version in a form in which packages sort snapshots before their
// release: 1.0.1-0.20261123-abc becomes 1.0.1~0.20261123.abc.
func packageVersion(version string) string {
	release, before, found := strings.Cut(version, "-")
	if !found {
		return release
	}
	return release + "~" + strings.NewReplacer("-", ".", "+", ".").Replace(before)
}
