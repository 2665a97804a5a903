package docs

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
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
	finish    func(*Document)
	documents sync.Map // of documentKey to *Document; made when first requested
}

type documentKey struct {
	kind  Kind
	root  int
	texts i18n.Catalog
}

// Kind says whom a document is for, and in which form.
type Kind int

// The kinds.
const (
	OpenAPI       Kind = iota
	ClientOpenAPI      // for generators of clients
	Page               // the documentation for people
	Start              // the start page for programs
	StartPage          // the start page for people
)

// Document is an OpenAPI document, a page, or the start page as JSON.
type Document struct {
	Body []byte
	Gzip []byte
	ETag string // of Body
}

// New returns the documentation of a facade with these roots, one for each language.
// Without cookies the page offers no way to send them. finish sets Gzip and ETag; it is called
// when a document is made.
func New(roots []rewrite.Root, cookies bool, finish func(*Document)) *Docs {
	return &Docs{roots: roots, cookies: cookies, finish: finish}
}

// Document returns a document in a language, for the root with index root.
func (d *Docs) Document(kind Kind, root int, texts i18n.Catalog) *Document {
	key := documentKey{kind, root, texts}
	if made, ok := d.documents.Load(key); ok {
		return made.(*Document)
	}
	made := &Document{}
	switch base := d.url(root); kind {
	case OpenAPI:
		made.Body = openapi.Document(base, string(texts), texts)
	case ClientOpenAPI:
		made.Body = openapi.ClientDocument(base, string(texts), texts)
	case Page:
		made.Body = d.documentation(root, texts)
	case Start:
		var err error
		if made.Body, err = json.Marshal(d.page(root, texts, d.url, "")); err != nil {
			panic("BUG: " + err.Error())
		}
	case StartPage:
		made.Body = d.startPage(root, texts)
	}
	d.finish(made)
	first, _ := d.documents.LoadOrStore(key, made)
	return first.(*Document)
}

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
