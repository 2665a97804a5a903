package docs

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"path"
	"strings"
	"sync"

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
	texts i18n.Catalog
	kind  kind
}

// kind is what a document is for.
type kind int

const (
	complete  kind = iota
	clients        // for generators of clients
	forPeople      // the page
)

// Document is an OpenAPI document, or the page that shows it.
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
func (d *Docs) Document(root int, texts i18n.Catalog, forClients bool, finish func(*Document)) *Document {
	write, key := openapi.Document, documentKey{texts, complete}
	if forClients {
		write, key.kind = openapi.ClientDocument, clients
	}
	return d.made(key, finish, func() []byte { return write(d.roots[root].Base(), string(texts), texts) })
}

// made returns a document that was made before, or makes it.
func (d *Docs) made(key documentKey, finish func(*Document), write func() []byte) *Document {
	if made, ok := d.documents.Load(key); ok {
		return made.(*Document)
	}
	made := &Document{Body: write()}
	finish(made)
	first, _ := d.documents.LoadOrStore(key, made)
	return first.(*Document)
}

// The page is made from the document by templates: the viewers of OpenAPI have one language, English.
//
//go:embed page.css page.js palette.css
var embedded embed.FS

// Palette returns the style sheet that all pages of the program share: colours, light and dark,
// and fonts.
func Palette() []byte {
	css, err := embedded.ReadFile("palette.css")
	if err != nil {
		panic("BUG: an embedded file: " + err.Error())
	}
	return css
}

// Find returns a file that the pages load, and its media type, by version and name: "0123456789ab/page.js". Other
// versions than the current one do not exist, so that browsers may cache the files forever.
func Find(file string) (body []byte, mediaType string, ok bool) {
	wanted, name, _ := strings.Cut(file, "/")
	body, err := embedded.ReadFile(name)
	return body, mediaTypes[path.Ext(name)], err == nil && wanted == version()
}

var mediaTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}

// version identifies the content of the files.
var version = sync.OnceValue(func() string {
	sum := sha256.New()
	all, err := embedded.ReadDir(".")
	for _, file := range all {
		data, readErr := embedded.ReadFile(file.Name())
		err = errors.Join(err, readErr)
		_, _ = sum.Write(data) // a hash does not fail
	}
	if err != nil {
		panic("BUG: an embedded file: " + err.Error())
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
})
