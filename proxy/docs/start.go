package docs

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// StartPath is the path of the start page below the public URL. Like the documentation page
// it is not part of the contract with clients.
const StartPath = "/"

var startTemplate = inLayout("start.html")

// StartHeader restricts what browsers do with the start page, which has no scripts and sends
// no requests. It must not be changed.
var StartHeader = func() http.Header {
	h := maps.Clone(PageHeader)
	h["Content-Security-Policy"] = []string{"default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
	return h
}()

// startPage is the data of the template.
type startPage struct {
	page
	Docs, Index string // paths, as all links of the page
	Lists       []startList
}

// startList is a collection. Its text is that of the endpoint.
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
func (d *Docs) Start(root int, texts i18n.Catalog) []byte {
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
		s.Languages = append(s.Languages, startLanguage{r.Language, i18n.Catalog(r.Language).Text("page.language", nil), link(i, r.Language, "")})
	}
	body, err := json.Marshal(s)
	if err != nil {
		panic("BUG: the start page does not encode: " + err.Error())
	}
	return body
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
