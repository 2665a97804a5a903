package docs

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/openapi"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// Docs is the documentation of a facade.
type Docs struct {
	roots     []rewrite.Root
	cookies   bool
	documents sync.Map // of documentKey to *Document; made when first requested
}

type documentKey struct {
	texts   i18n.Catalog
	clients bool // for generators of clients
}

// Document is an OpenAPI document.
type Document struct {
	Body []byte
	Gzip []byte
	ETag string // of Body
}

// New returns the documentation of a facade with these roots, one for each language.
// Without cookies the page offers no way to send them.
func New(roots []rewrite.Root, cookies bool) *Docs { return &Docs{roots: roots, cookies: cookies} }

// Document returns the document in a language, for the root with index root: the complete
// one, or that for generators of clients. A language has always the same root. finish sets
// Gzip and ETag; it is called once for each document.
func (d *Docs) Document(root int, texts i18n.Catalog, clients bool, finish func(*Document)) *Document {
	key := documentKey{texts, clients}
	if made, ok := d.documents.Load(key); ok {
		return made.(*Document)
	}
	write := openapi.Document
	if clients {
		write = openapi.ClientDocument
	}
	made := &Document{Body: write(d.roots[root].Base(), string(texts), texts)}
	finish(made)
	first, _ := d.documents.LoadOrStore(key, made)
	return first.(*Document)
}

// The page is Swagger UI: it sends requests, has a dark mode, and works under a policy
// without inline scripts and eval, in 0.5 MB. CONTRIBUTING.md compares it with others.
//
//go:embed page.css page.js palette.css swagger-ui/*.gz swagger-ui/*LICENSE* swagger-ui/NOTICE
var embedded embed.FS

// assets are the files of the page by name. Their paths contain their version, so that
// browsers may cache them forever.
type assets struct {
	version string
	files   map[string]File
}

// File is a file that the page loads.
type File struct {
	Type  string // media type
	Plain func() []byte
	Gzip  []byte // nil: the file is small and has no compressed form
}

// Palette returns the style sheet that all pages of the program share: colours, light and dark,
// and fonts.
func Palette() []byte {
	css, err := embedded.ReadFile("palette.css")
	if err != nil {
		panic("BUG: an embedded file: " + err.Error())
	}
	return css
}

// Find returns a file by version and name: "0123456789ab/page.js". Other versions than the
// current one do not exist.
func Find(path string) (f File, ok bool) {
	version, name, _ := strings.Cut(path, "/")
	all := files()
	f, ok = all.files[name]
	return f, ok && version == all.version
}

var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	"":     "text/plain; charset=utf-8",
	".txt": "text/plain; charset=utf-8",
}

var files = sync.OnceValue(func() assets {
	all := assets{files: map[string]File{}}
	sum := sha256.New()
	err := fs.WalkDir(embedded, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(file)
		if err != nil {
			return err
		}
		_, _ = sum.Write(data) // a hash does not fail
		name, compressed := strings.CutSuffix(path.Base(file), ".gz")
		f := File{Type: mediaTypes[path.Ext(name)], Plain: func() []byte { return data }}
		if compressed {
			f.Gzip, f.Plain = data, sync.OnceValue(func() []byte { return decompress(data) })
		}
		all.files[name] = f
		return nil
	})
	if err != nil {
		panic("BUG: an embedded file: " + err.Error())
	}
	all.version = hex.EncodeToString(sum.Sum(nil)[:6])
	return all
})

func decompress(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		panic("BUG: an embedded file: " + err.Error())
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		panic("BUG: an embedded file: " + err.Error())
	}
	return plain
}
