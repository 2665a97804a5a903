package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var licenseFile = regexp.MustCompile(`(?i)(^|\.)(licen[cs]e|copying|notice|copyright)([.-].*)?$`)

// modules returns what a program contains, with the licenses.
func (r *release) modules(ctx context.Context, p program) ([]module, error) {
	const format = "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}"
	out, err := r.command(ctx, r.src(), "env", "GOOS="+p.os, "GOARCH="+p.arch, "go", "list", "-deps", "-f", format, "./cmd/calfacade")
	if err != nil {
		return nil, err
	}
	dirs := map[string]string{}
	for line := range strings.Lines(out) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			dirs[path] = dir
		}
	}
	goroot, err := r.command(ctx, r.src(), "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	dirs["std"], dirs["swagger-ui"] = goroot, r.src("proxy/docs/swagger-ui")
	page, err := os.ReadFile(filepath.Join(dirs["swagger-ui"], "VERSION"))
	if err != nil {
		return nil, err
	}
	all := []module{
		{name: "std", version: strings.TrimPrefix(p.info.GoVersion, "go")},
		{name: "swagger-ui", version: strings.Fields(string(page))[0]},
	}
	for _, d := range p.info.Deps {
		all = append(all, module{name: d.Path, version: d.Version, sum: d.Sum})
	}
	for i := range all {
		if all[i].texts, err = licensesIn(dirs[all[i].name]); err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].name, err)
		}
	}
	return all, nil
}

func licensesIn(dir string) ([]license, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []license
	for _, f := range files {
		if f.IsDir() || !licenseFile.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, license{f.Name(), strings.TrimSpace(string(text))})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no license in %s", dir)
	}
	return all, nil
}

// known are the phrases by which licenses are recognized.
var known = []struct {
	phrase *regexp.Regexp
	id     string // of SPDX
}{

	{regexp.MustCompile(`Apache License,? Version 2\.0`), "Apache-2.0"},
	{regexp.MustCompile(`(?s)Redistribution and use in source and binary forms.*may be used to endorse`), "BSD-3-Clause"},
	{regexp.MustCompile(`Redistribution and use in source and binary forms`), "BSD-2-Clause"},
	{regexp.MustCompile(`Permission to use, copy, modify, and(/or)? distribute`), "ISC"},
	{regexp.MustCompile(`Permission is hereby granted, free of charge`), "MIT"},
	{regexp.MustCompile(`Mozilla Public License,? [Vv]ersion 2\.0`), "MPL-2.0"},
}

// identify returns the SPDX identifiers of the licenses in a file: none in a NOTICE, and
// several where parts of a module have their own.
func (l license) identify() []string {
	text := strings.Join(strings.Fields(l.text), " ")
	var ids []string
	for _, k := range known {
		if k.phrase.MatchString(text) && !(k.id == "BSD-2-Clause" && slices.Contains(ids, "BSD-3-Clause")) {
			ids = append(ids, k.id)
		}
	}
	return ids
}

func (r *release) writeLicenses(_ context.Context, p program) error {
	var all bytes.Buffer
	for _, m := range p.modules {
		for _, l := range m.texts {
			fmt.Fprintf(&all, "==== %s %s: %s\n\n%s\n\n", m.name, m.version, l.file, l.text)
		}
	}
	if err := os.WriteFile(p.licenses()+".gz", gzipped(all.Bytes()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(p.licenses(), all.Bytes(), 0o644)
}
