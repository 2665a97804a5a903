package pictures

import (
	"encoding/xml"
	"errors"
	"flag"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/internal/scale"
)

//go:generate go test -run ^(TestPictures|TestRoomsAsText)$ -update .

var update = flag.Bool("update", false, "write the pictures instead of comparing them")

const (
	root   = "../../.."
	folder = root + "/docs/pictures"
)

// TestPictures compares the pictures with the files of the documents.
func TestPictures(t *testing.T) {
	t.Parallel()
	for name, want := range all(t) {
		checkFile(t, filepath.Join(folder, name), want)
	}
	files, err := filepath.Glob(folder + "/*.svg")
	if err != nil || len(files) != len(all(t)) {
		t.Errorf("%d pictures in %s, want %d (%v)", len(files), folder, len(all(t)), err)
	}
}

func all(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(folder, "scaling.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := scale.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return Pictures(rows)
}

func checkFile(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("%s differs; run go generate: %v\n%s", file, err, diff)
	}
}

// TestPicturesAreAccessible: pictures are well-formed XML with a title and a description, and
// load nothing.
func TestPicturesAreAccessible(t *testing.T) {
	t.Parallel()
	for name, picture := range all(t) {
		seen := map[string]int{}
		for d := xml.NewDecoder(strings.NewReader(picture)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if e, ok := token.(xml.StartElement); ok {
				seen[e.Name.Local]++
			}
		}
		if seen["title"] != 1 || seen["desc"] != 1 || seen["script"]+seen["image"]+seen["foreignObject"] > 0 {
			t.Errorf("%s has elements %v", name, seen)
		}
		for _, foreign := range []string{"url(", "@import", "href", "NaN", "Inf"} {
			if strings.Contains(picture, foreign) {
				t.Errorf("%s has %q", name, foreign)
			}
		}
	}
}

// TestRoomsAsText compares the text in docs/architecture.md with the rooms.
func TestRoomsAsText(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- rooms -->\n", "<!-- /rooms -->\n"
	file := root + "/docs/architecture.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no text between %q and %q", file, begin, end)
	}
	checkFile(t, file, before+begin+Rooms()+end+after)
}

// TestRooms: no room imports one that is drawn above it.
func TestRooms(t *testing.T) {
	t.Parallel()
	const module = "github.com/calfacade/calfacade/"
	var above []string
	for _, floor := range floors() {
		for _, r := range floor {
			for _, i := range imports(t, r.pkg) {
				for _, a := range above {
					if i == module+a {
						t.Errorf("%s imports %s, which is drawn above it", r.pkg, a)
					}
				}
			}
		}
		for _, r := range floor {
			above = append(above, r.pkg)
		}
	}
}

// TestAllRooms: every package of the program is a room, but for those of cmd.
func TestAllRooms(t *testing.T) {
	t.Parallel()
	const module = "github.com/calfacade/calfacade/"
	drawn := map[string]bool{}
	for _, floor := range floors() {
		for _, r := range floor {
			drawn[r.pkg] = true
		}
	}
	seen := map[string]bool{}
	var visit func(string)
	visit = func(pkg string) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		if !drawn[pkg] && !strings.HasPrefix(pkg, "cmd/") {
			t.Errorf("%s is not drawn", pkg)
		}
		for _, i := range imports(t, pkg) {
			if below, ok := strings.CutPrefix(i, module); ok {
				visit(below)
			}
		}
	}
	visit(program[0].pkg)
	for pkg := range drawn {
		if !seen[pkg] {
			t.Errorf("%s is drawn, and not of the program", pkg)
		}
	}
}

// imports returns what the package in a directory imports, without its tests.
func imports(t *testing.T, directory string) (paths []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, directory, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no Go files: %v", directory, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
	}
	return paths
}
