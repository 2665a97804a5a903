package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestNotes takes the section of a version, or the one on top for what is between versions.
func TestNotes(t *testing.T) {
	const changelog = "# Changelog\n\nText.\n\n## [Unreleased]\n\n- three\n\n## [1.1.0] - 2026-12-01\n\n- two\n\n## [1.0.0] - 2026-11-23\n\n- one\n"
	for version, want := range map[string]string{
		"1.0.0":                      "- one\n",
		"1.1.0":                      "- two\n",
		"1.1.1-0.20261202-abcdef":    "- three\n",
		"0.0.0-20261123040506-86c25": "- three\n",
	} {
		if got, err := notesOf(changelog, version); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", version, got, err, want)
		}
	}
	if got, err := notesOf(changelog, "2.0.0"); err == nil {
		t.Errorf("a version without a section: got %q", got)
	}
}

// TestChangelog holds that a version can be released from CHANGELOG.md: sections have a
// version and a date, the newest first, below the one for what is to come.
func TestChangelog(t *testing.T) {
	data, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	var dates []string
	for i, heading := range section.FindAllStringSubmatch(string(data), -1) {
		name, date, dated := strings.Cut(strings.TrimSpace(heading[0][len("## "):]), " - ")
		if i == 0 {
			if name != "[Unreleased]" || dated {
				t.Errorf("the section on top is %s", heading[0])
			}
			continue
		}
		if _, err := time.Parse(time.DateOnly, date); err != nil || !tagged.MatchString(heading[1]) {
			t.Errorf("%q is not a version with a date", heading[0])
		}
		dates = append(dates, date)
	}
	slices.Reverse(dates)
	if len(dates) == 0 || !slices.IsSorted(dates) {
		t.Errorf("dates from the oldest: %v", dates)
	}
}

func TestPackageVersion(t *testing.T) {
	for version, want := range map[string]string{
		"1.0.0":      "1.0.0",
		"1.0.0-rc.1": "1.0.0~rc.1",
		"1.0.1-0.20261123040506-86c2532abcde+dirty": "1.0.1~0.20261123040506.86c2532abcde.dirty",
	} {
		if got := packageVersion(version); got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
}

// TestZip reads what a Windows archive has: names, and which file is a program.
func TestZip(t *testing.T) {
	var b bytes.Buffer
	entries := []entry{{"dir/calfacade.exe", 0o755, []byte("program")}, {"dir/README.md", 0o644, []byte("text")}}
	if err := zipped(&b, entries, time.Unix(1_800_000_000, 0).UTC()); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range z.File {
		got = append(got, fmt.Sprint(f.Mode(), " ", f.UncompressedSize64, " ", f.Name, " ", f.Modified.UTC().Format(time.DateTime)))
	}
	want := []string{"-rwxr-xr-x 7 dir/calfacade.exe 2027-01-15 08:00:00", "-rw-r--r-- 4 dir/README.md 2027-01-15 08:00:00"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestImage follows the digests of an image to its program.
func TestImage(t *testing.T) {
	r := release{out: t.TempDir(), version: "1.0.0", time: time.Unix(1_800_000_000, 0).UTC()}
	p := program{os: "linux", arch: "arm64", file: filepath.Join(t.TempDir(), "calfacade"),
		info: &buildinfo.BuildInfo{Main: debug.Module{Path: "example.org/calfacade"}}}
	if err := os.WriteFile(p.file, []byte("the program"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.writeImage(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	files := readTar(t, filepath.Join(r.out, "calfacade_1.0.0_linux_arm64.oci.tar"))

	type descriptor struct{ Digest string }
	var index struct{ Manifests []descriptor }
	decode(t, files["index.json"], &index)
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	decode(t, blob(t, files, index.Manifests[0].Digest), &manifest)
	var config struct {
		Architecture string
		Config       struct {
			User            string
			Entrypoint, Cmd []string
		}
	}
	decode(t, blob(t, files, manifest.Config.Digest), &config)
	blob(t, files, manifest.Layers[0].Digest)
	got := append([]string{config.Architecture, config.Config.User}, slices.Concat(config.Config.Entrypoint, config.Config.Cmd)...)
	want := []string{"arm64", "65532:65532", "/calfacade", "serve", "--config", "/etc/calfacade/config.yaml"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// blob returns the blob of a digest, which it checks.
func blob(t *testing.T, files map[string][]byte, sum string) []byte {
	t.Helper()
	data := files["blobs/sha256/"+strings.TrimPrefix(sum, "sha256:")]
	if digest(data) != sum {
		t.Fatalf("blob %s has the digest %s", sum, digest(data))
	}
	return data
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}

func readTar(t *testing.T, file string) map[string][]byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
