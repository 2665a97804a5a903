package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

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
