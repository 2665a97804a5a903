package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

// allPlatforms are those of a release. Linux also has packages and an image.
const allPlatforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	out := flag.String("out", "dist", "`DIR` for the files; it must be empty or absent")
	list := flag.String("platforms", allPlatforms, "comma-separated `LIST` of GOOS/GOARCH")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, strings.Split(*list, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run writes the files of the platforms to a directory.
func run(ctx context.Context, out string, platforms []string) (err error) {
	r := release{}
	if r.out, err = emptyDir(out); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "calfacade-release-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	if err := r.clone(ctx); err != nil {
		return err
	}
	var programs []program
	for _, platform := range platforms {
		p, err := r.build(ctx, platform)
		if err != nil {
			return err
		}
		programs = append(programs, p)
	}
	r.version = programs[0].version()
	if err := r.writeTexts(ctx, programs); err != nil {
		return err
	}
	for _, p := range programs {
		if err := r.pack(ctx, p); err != nil {
			return fmt.Errorf("%s/%s: %w", p.os, p.arch, err)
		}
	}
	return r.writeSums()
}

// pack writes all files of one platform.
func (r *release) pack(ctx context.Context, p program) error {
	steps := []func(context.Context, program) error{r.writeLicenses, r.writeArchive, r.writeBill}
	if p.os == "linux" {
		steps = append(steps, r.writePackages, r.writeImage)
	}
	for _, step := range steps {
		if err := step(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// emptyDir makes a directory, which must have no files of an earlier release, and returns
// its absolute path.
func emptyDir(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	switch old, err := os.ReadDir(dir); {
	case err != nil:
		return "", err
	case len(old) > 0:
		return "", fmt.Errorf("%s is not empty", dir)
	}
	return filepath.Abs(dir)
}
