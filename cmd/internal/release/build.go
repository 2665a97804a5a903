package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// program is the program for a platform.
type program struct {
	os, arch string
	file     string
	info     *buildinfo.BuildInfo
	modules  []module
}

func (p program) version() string { return strings.TrimPrefix(p.info.Main.Version, "v") }

// clone clones the commit that is checked out.
func (r *release) clone(ctx context.Context) error {
	here, err := r.command(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	if _, err := r.command(ctx, here, "git", "clone", "-q", ".", r.src()); err != nil {
		return err
	}
	seconds, err := r.command(ctx, r.src(), "git", "show", "-s", "--format=%ct", "HEAD")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	r.time = time.Unix(unix, 0).UTC()
	return err
}

func (r *release) src(path ...string) string {
	return filepath.Join(r.work, "src", filepath.Join(path...))
}

// build builds the program for a platform, such as linux/amd64.
func (r *release) build(ctx context.Context, platform string) (program, error) {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return program{}, fmt.Errorf("%q is not a platform such as linux/amd64", platform)
	}
	p := program{os: goos, arch: goarch, file: filepath.Join(r.work, goos, goarch, "calfacade")}
	if goos == "windows" {
		p.file += ".exe"
	}
	_, err := r.command(ctx, r.src(), "env", "GOOS="+goos, "GOARCH="+goarch,
		"go", "build", "-buildvcs=true", "-ldflags=-s -w", "-o", p.file, "./cmd/calfacade")
	if err != nil {
		return p, err
	}
	if p.info, err = buildinfo.ReadFile(p.file); err != nil {
		return p, err
	}
	p.modules, err = r.modules(ctx, p)
	return p, err
}

// command runs a command in a directory, and returns its standard output without spaces
// around it.
func (r *release) command(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir = dir
	// What decides about the bytes, and is not part of the commit.
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
