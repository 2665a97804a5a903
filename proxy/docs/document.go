package docs

import (
	"crypto/sha256"
	_ "embed" // for the files
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// Docs is the documentation of a facade.
type Docs struct {
	roots     []rewrite.RootURLs
	options   Options
	finish    func(*Document)
	documents sync.Map // of documentKey to *Document; made when first requested
	files     sync.Map // of paths to *Document, likewise
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
	index              // the index of the namespace
)

// Document is an OpenAPI document, a page or a file of it, the index, or the start page as JSON.
type Document struct {
	Body []byte
	Gzip []byte
	ETag string // of Body
	day  string // of the defaults in Body; "" without such defaults
}

// Options are the parts of the facade that the documentation depends on.
type Options struct {
	Cookies    bool // offer a way to send cookies
	Extensions bool // describe the parameters beyond the specification; the document at /doc never does
}

// New returns the documentation of a facade with these roots, one for each language. finish sets Gzip and ETag, in the
// call that makes a document.
func New(roots []rewrite.RootURLs, options Options, finish func(*Document)) *Docs {
	return &Docs{roots: roots, options: options, finish: finish}
}

// Document returns a document in a language, for the root with index root.
func (d *Docs) Document(kind Kind, root int, texts i18n.Catalog) *Document {
	key := documentKey{kind: kind, root: root, texts: texts}
	if doc, ok := d.documents.Load(key); ok {
		return doc.(*Document)
	}
	doc := &Document{}
	base := d.url(root)
	switch kind {
	case OpenAPI:
		doc.Body = openapi.Document(base, string(texts), texts)
	case ClientOpenAPI:
		doc.Body = openapi.ClientDocument(base, string(texts), texts, d.options.Extensions)
	case Page:
		doc.Body = d.documentation(root, texts)
	case Start:
		var err error
		if doc.Body, err = json.Marshal(d.page(root, texts, d.url, "")); err != nil {
			panic("BUG: " + err.Error())
		}
	case StartPage:
		doc.Body = d.startPage(root, texts)
	}
	d.finish(doc)
	first, _ := d.documents.LoadOrStore(key, doc)
	return first.(*Document)
}

// Index returns the index of the namespace in a language, for the root with index root, with the defaults
// of the day of now.
func (d *Docs) Index(root int, texts i18n.Catalog, now time.Time) *Document {
	key := documentKey{kind: index, root: root, texts: texts}
	day := now.Format(time.DateOnly)
	if doc, ok := d.documents.Load(key); ok && doc.(*Document).day == day {
		return doc.(*Document)
	}
	doc := &Document{Body: d.Description(root, texts, now).Index(), day: day}
	d.finish(doc)
	d.documents.Store(key, doc)
	return doc
}

// Description returns the description of the namespace in a language, for the root with index root.
func (d *Docs) Description(root int, texts i18n.Catalog, now time.Time) openapi.Description {
	return openapi.Description{Base: d.url(root), Naming: rewrite.Naming(d.roots, root, string(texts)), Texts: texts, Now: now}
}

// documentation returns the documentation page, which templates make from the model of the OpenAPI document: the
// viewers of OpenAPI have one language, English.
func (d *Docs) documentation(root int, texts i18n.Catalog) []byte {
	base := d.url(root)
	r := reader{model: openapi.Model(base, string(texts), texts, openapi.Form{Extensions: d.options.Extensions}), texts: texts}
	return render("documentation.html", texts, r.funcs(), struct {
		page
		Model        mapping.Members
		Operations   map[string][]operation // by their tags
		Base         string                 // URL of the namespace
		Introduction []section
	}{d.page(root, texts, d.path, Path+"/"), r.model, r.operations(base), base, introduction})
}

// startPage returns the start page.
func (d *Docs) startPage(root int, texts i18n.Catalog) []byte {
	p := d.page(root, texts, d.path, "")
	for i := range p.Languages {
		p.Languages[i].Href = "./?" + mapping.Language.Name + "=" + p.Languages[i].Code
	}
	return render("start.html", texts, nil, struct {
		page
		Resources []string
	}{p, mapping.Resources()})
}

// page returns the data of a page in a language, for the root with index root. base returns the URL or
// path of the namespace below a root; linkPath is the path below the namespace in links to other languages.
func (d *Docs) page(root int, texts i18n.Catalog, base func(root int) string, linkPath string) page {
	link := func(path string) string { return base(root) + path + rewrite.Naming(d.roots, root, string(texts)) }
	p := page{
		Name:        texts.Text("document.title", nil),
		Description: texts.Text("document.description", nil),
		Language:    string(texts),
		Links:       map[string]string{"documentation": link(Path + "/"), "index": link("")},
		// All languages load the files from one root, so that browsers cache them once.
		Assets:  base(0) + Path + "/" + version,
		Clients: link(Path + "/" + ClientFile),
		Server:  base(root),
		Cookies: d.options.Cookies,
	}
	for _, e := range mapping.Table {
		switch e.Action {
		case mapping.Doc:
			p.Links["openapi"] = link(e.Path)
		case mapping.List:
			p.Links[e.Resource] = link(e.Path)
		}
	}
	for i, r := range d.roots {
		name := i18n.Catalog(r.Language).Text("page.language", nil)
		p.Languages = append(p.Languages, language{
			Code: r.Language,
			Name: name,
			Href: base(i) + linkPath + rewrite.Naming(d.roots, i, r.Language),
		})
	}
	return p
}

// url returns the URL of the namespace below a root.
func (d *Docs) url(root int) string { return d.roots[root].Base() }

// path returns the path of the namespace that browsers request, below the path of the public URL.
func (d *Docs) path(root int) string {
	u, err := url.Parse(d.url(root))
	if err != nil {
		panic("BUG: the public URL was validated: " + err.Error())
	}
	return u.EscapedPath()
}

// Palette is the style sheet that all pages of the program share: colours, light and dark, and fonts.
//
//go:embed palette.css
var Palette string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// files are the files that the pages load, by their paths below the version.
var files = map[string]struct{ body, mediaType string }{
	"/page.css":    {pageCSS, "text/css; charset=utf-8"},
	"/page.js":     {pageJS, "text/javascript; charset=utf-8"},
	"/palette.css": {Palette, "text/css; charset=utf-8"},
}

// version identifies the content of the files.
var version = fmt.Sprintf("%.6x", sha256.Sum256([]byte(pageCSS+pageJS+Palette)))

// File returns a file that the pages load, and the media type, by version and name: "0123456789ab/page.js". Other
// versions than the current one do not exist, so that browsers may cache the files forever.
func (d *Docs) File(path string) (file *Document, mediaType string, ok bool) {
	name, current := strings.CutPrefix(path, version)
	content, ok := files[name]
	if !ok || !current {
		return nil, "", false
	}
	if doc, ok := d.files.Load(name); ok {
		return doc.(*Document), content.mediaType, true
	}
	doc := &Document{Body: []byte(content.body)}
	d.finish(doc)
	d.files.Store(name, doc)
	return doc, content.mediaType, true
}
