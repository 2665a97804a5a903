package docs

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"net/url"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// Path is the path of the page below a root and the namespace. It is no row of the table:
// the page is not part of the contract with clients.
const Path = "/docs"

// ClientFile is the name, below the page, of the document for generators of clients.
const ClientFile = "openapi-client.json"

// Methods are the methods of the pages and their files, for Allow.
const Methods = http.MethodGet + ", " + http.MethodHead

//go:embed documentation.html layout.html start.html
var templates embed.FS

var pageTemplate = inLayout("documentation.html")

// inLayout returns the template of a page. What the pages share is layout.html.
func inLayout(page string) *template.Template {
	return template.Must(template.ParseFS(templates, "layout.html", page))
}

// PageHeader restricts what browsers do with the page, which shares its origin with the
// API. Scripts and styles come from files, so that neither is allowed inline. The style
// sheet contains its images as data URLs. It must not be changed.
var PageHeader = http.Header{
	"Content-Type": {"text/html; charset=utf-8"},
	"Content-Security-Policy": {"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Referrer-Policy":              {"no-referrer"},
	"X-Content-Type-Options":       {"nosniff"},
	"X-Frame-Options":              {"DENY"},
	"X-Robots-Tag":                 {"noindex"},
	"Cache-Control":                {"no-cache"},
}

// page is the data of all templates.
type page struct {
	i18n.Catalog
	Language  string
	Languages []pageLanguage
	Assets    string // path below which the files are
	Document  string // path of the document that the page shows
	Clients   string // path of the document for generators of clients
	Server    string // path of the namespace that it sends requests to
	Cookies   bool   // the login cookies of WordPress are accepted
}

type pageLanguage struct {
	Code, Name, Page string
	Current          bool
}

// Title and Description are from the document.
func (p page) Title() string       { return p.Catalog.Text("document.title", nil) }
func (p page) Description() string { return p.Catalog.Text("document.description", nil) }

// Text hides the method of the texts, which has a parameter for placeholders.
func (p page) Text(key string) string { return p.Catalog.Text(key, nil) }

// documentation is the data of the documentation page.
type documentation struct {
	page
	Base      string // URL of the namespace
	Sections  []section
	Reference reference
}

// shown is an operation, with the page that has the texts.
type shown struct {
	Page      page
	Operation operation
}

// Shown returns the data of the template of an operation.
func (d documentation) Shown(o operation) shown { return shown{d.page, o} }

// table is a list of fields, with the page that has the texts.
type table struct {
	Page   page
	Fields []field
}

// With returns the data of the template of fields.
func (p page) With(fields []field) table { return table{p, fields} }

// Page returns the page in a language, for the root with index root. finish is as for [Docs.Document].
func (d *Docs) Page(root int, texts i18n.Catalog, finish func(*Document)) *Document {
	return d.made(documentKey{texts, forPeople}, finish, func() []byte {
		base := d.roots[root].Base()
		shown := documentation{d.page(root, texts), base, introduction(texts),
			newReference(openapi.Document(base, string(texts), texts), texts)}
		var b bytes.Buffer
		if err := pageTemplate.Execute(&b, shown); err != nil {
			panic("BUG: " + err.Error())
		}
		return b.Bytes()
	})
}

func (d *Docs) page(root int, texts i18n.Catalog) page {
	code := string(texts)
	p := page{
		Catalog:  texts,
		Language: code,
		// All languages load the files from one root, so that browsers cache them once.
		Assets:   d.publicPath(0) + Path + "/" + version(),
		Document: d.link(root, code, documentPath()),
		Clients:  d.link(root, code, Path+"/"+ClientFile),
		Server:   d.publicPath(root),
		Cookies:  d.cookies,
	}
	for i, r := range d.roots {
		p.Languages = append(p.Languages, pageLanguage{
			Code:    r.Language,
			Name:    i18n.Catalog(r.Language).Text("page.language", nil),
			Page:    d.link(i, r.Language, Path+"/"),
			Current: r.Language == code,
		})
	}
	return p
}

// link returns the path of a resource below the root of language i, in the language code.
func (d *Docs) link(i int, code, path string) string {
	return d.publicPath(i) + path + rewrite.Naming(d.roots, i, code)
}

// publicPath returns the path of the namespace that browsers request, below the path of
// the public URL.
func (d *Docs) publicPath(root int) string {
	u, err := url.Parse(d.roots[root].Base())
	if err != nil {
		panic("BUG: the public URL was validated: " + err.Error())
	}
	return u.EscapedPath()
}

// documentPath returns the path of the document in the table.
func documentPath() string {
	for i := range mapping.Table {
		if mapping.Table[i].Action == mapping.Doc {
			return mapping.Table[i].Path
		}
	}
	panic("BUG: the table has no documentation")
}

// StartPath is the path of the start page below the public URL. Like the documentation page
// it is not part of the contract with clients.
const StartPath = "/"

var startTemplate = inLayout("start.html")

// StartHeader restricts what browsers do with the start page, which has no scripts and sends
// no requests. It must not be changed.
var StartHeader = func() http.Header {
	h := maps.Clone(PageHeader)
	h["Content-Security-Policy"] = []string{"default-src 'none'; style-src 'self'; img-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
	return h
}()

// startPage is the data of the template.
type startPage struct {
	page
	Docs, Index string // paths, as all links of the page
	Lists       []startList
}

// startList is a collection. Its text is the endpoint's.
type startList struct{ Name, Text, Path, Link string }

// StartPage returns the start page in a language, for the root with index root.
func (d *Docs) StartPage(root int, texts i18n.Catalog) ([]byte, error) {
	code := string(texts)
	p := startPage{
		page: d.page(root, texts), Docs: d.link(root, code, Path+"/"), Index: d.link(root, code, ""),
	}
	for i := range p.Languages {
		p.Languages[i].Page = startLink(p.Languages[i].Code)
	}
	for _, e := range lists() {
		p.Lists = append(p.Lists, startList{e.Resource, e.Name(), e.Path, d.link(root, code, e.Path)})
	}
	var b bytes.Buffer
	err := startTemplate.Execute(&b, p)
	return b.Bytes(), err
}

// startLink returns the link from the start page to itself in another language.
func startLink(code string) string { return "./?" + mapping.Language.Name + "=" + code }

// start is the start page for programs.
type start struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Language    string            `json:"language"`
	Links       map[string]string `json:"links"`
	Languages   []startLanguage   `json:"languages"`
}

type startLanguage struct {
	Code string `json:"code"`
	Name string `json:"name"`
	Href string `json:"href"` // of the index
}

// Start returns what the start page has as JSON, with complete URLs.
func (d *Docs) Start(root int, texts i18n.Catalog) ([]byte, error) {
	code := string(texts)
	link := func(i int, code, path string) string {
		return d.roots[i].Base() + path + rewrite.Naming(d.roots, i, code)
	}
	s := start{
		Name: texts.Text("document.title", nil), Description: texts.Text("document.description", nil), Language: code,
		Links: map[string]string{
			"documentation": link(root, code, Path+"/"), "openapi": link(root, code, documentPath()), "index": link(root, code, ""),
		},
	}
	for _, e := range lists() {
		s.Links[e.Resource] = link(root, code, e.Path)
	}
	for i, r := range d.roots {
		s.Languages = append(s.Languages, startLanguage{r.Language, i18n.Catalog(r.Language).Text("page.language", nil),
			link(i, r.Language, "")})
	}
	return json.Marshal(s)
}

// lists returns the endpoints of the collections.
func lists() (all []*mapping.Endpoint) {
	for i := range mapping.Table {
		if e := &mapping.Table[i]; e.Action == mapping.List {
			all = append(all, e)
		}
	}
	return all
}
