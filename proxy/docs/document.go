package docs

import (
	"sync"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/openapi"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// Docs is the documentation of a facade.
type Docs struct {
	roots     []rewrite.Root
	cookies   bool
	documents sync.Map // of i18n.Catalog to *Document; made when first requested
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

// Document returns the document in a language, for the root with index root. A language
// has always the same root. finish sets Gzip and ETag; it is called once for each language.
func (d *Docs) Document(root int, texts i18n.Catalog, finish func(*Document)) *Document {
	if made, ok := d.documents.Load(texts); ok {
		return made.(*Document)
	}
	made := &Document{Body: openapi.Document(d.roots[root].Base(), string(texts), texts)}
	finish(made)
	first, _ := d.documents.LoadOrStore(texts, made)
	return first.(*Document)
}
