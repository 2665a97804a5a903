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
