package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// writeTexts writes the manual page and the completions, which the program prints, and the
// notes.
func (r *release) writeTexts(ctx context.Context, programs []program) error {
	if err := os.Mkdir(r.text(""), 0o755); err != nil {
		return err
	}
	host, err := r.host(ctx, programs)
	if err != nil {
		return err
	}
	for name, args := range map[string][]string{
		"calfacade.1":    {"man"},
		"calfacade.bash": {"completion", "bash"},
		"_calfacade":     {"completion", "zsh"},
		"calfacade.fish": {"completion", "fish"},
	} {
		text, err := r.command(ctx, r.work, slices.Insert(args, 0, host.file)...)
		if err != nil {
			return err
		}
		if err := os.WriteFile(r.text(name), []byte(text+"\n"), 0o644); err != nil {
			return err
		}
	}
	return r.writeNotes()
}

// host returns the program that runs here.
func (r *release) host(ctx context.Context, programs []program) (program, error) {
	for _, p := range programs {
		if p.os == runtime.GOOS && p.arch == runtime.GOARCH {
			return p, nil
		}
	}
	return r.build(ctx, runtime.GOOS+"/"+runtime.GOARCH)
}

// writeNotes writes the notes of the release, and the changelogs of the packages.
func (r *release) writeNotes() error {
	changelog, err := os.ReadFile(r.src("CHANGELOG.md"))
	if err != nil {
		return err
	}
	notes, err := notesOf(string(changelog), r.version)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, "NOTES.md"), []byte(notes), 0o644); err != nil {
		return err
	}
	man, err := os.ReadFile(r.text("calfacade.1"))
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"calfacade.1.gz":  man,
		"CHANGELOG.md.gz": changelog,
		"changelog.gz":    r.debianChangelog(),
	} {
		if err := os.WriteFile(r.text(name), gzipped(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

var (
	tagged  = regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	section = regexp.MustCompile(`(?m)^## \[(.+?)\].*\n`)
)

// notesOf returns the section of a version, or for a snapshot the one on top.
func notesOf(changelog, version string) (string, error) {
	at := section.FindAllStringSubmatchIndex(changelog, -1)
	for i, m := range at {
		if name := changelog[m[2]:m[3]]; name != version && tagged.MatchString(version) {
			continue
		}
		end := len(changelog)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		return strings.TrimSpace(changelog[m[1]:end]) + "\n", nil
	}
	return "", fmt.Errorf("CHANGELOG.md has no section [%s]", version)
}

// debianChangelog has one entry: Debian's form has no place for the sections of CHANGELOG.md.
func (r *release) debianChangelog() []byte {
	return fmt.Appendf(nil, "calfacade (%s) stable; urgency=medium\n\n  * See /usr/share/doc/calfacade/CHANGELOG.md.gz.\n\n -- %s  %s\n",
		packageVersion(r.version), maintainer, r.time.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
}
