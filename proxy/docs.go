package proxy

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/problem"
)

// DocsPath leads, below a root and the namespace, to the documentation for
// people. It is no row of the table: clients have no contract with a page.
const DocsPath = "/docs"

// docsMethods are those of the page and its assets.
const docsMethods = http.MethodGet + ", " + http.MethodHead

//go:embed docs/page.html
var docsFiles embed.FS

var docsTemplate = template.Must(template.ParseFS(docsFiles, "docs/page.html"))

// docsHeader is what browsers may do with the page, which shares its origin with
// the API. Scripts and styles come from files: neither has to be allowed inline.
// Pictures are part of the style sheet as data.
var docsHeader = http.Header{
	"Content-Type": {"text/html; charset=utf-8"},
	"Content-Security-Policy": {"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Referrer-Policy":              {"no-referrer"},
	"X-Content-Type-Options":       nosniff,
	"X-Frame-Options":              {"DENY"},
	"X-Robots-Tag":                 noindex,
	"Cache-Control":                {"no-cache"},
}

// docsPage is what the template shows.
type docsPage struct {
	i18n.Voice
	Language  string
	Languages []docsLanguage
	Assets    string // path of the files
	Document  string // path of the document that the page shows
	Server    string // path of the namespace that it tries
}

type docsLanguage struct {
	Code, Name, Page string
	Current          bool
}

// Title and Description are the document's own.
func (p docsPage) Title() string       { return p.Voice.Text("document.title", nil) }
func (p docsPage) Description() string { return p.Voice.Text("document.description", nil) }

// Text hides that of the voice, which wants placeholders.
func (p docsPage) Text(key string) string { return p.Voice.Text(key, nil) }

// docs answers with the page, or with the file that it is made of.
func (f *Facade) docs(x *exchange) error {
	if x.target.asset != "" {
		return x.asset(x.target.asset)
	}
	var b bytes.Buffer
	if err := docsTemplate.Execute(&b, f.docsPage(x)); err != nil {
		return err
	}
	out, tag := x.out.Header(), etag(b.Bytes())
	for name, values := range docsHeader {
		out[name] = values
	}
	out["Content-Language"] = spoken[x.voice]
	x.edge.fields(x)
	out["Etag"] = []string{tag}
	if matches(x.in.Header["If-None-Match"], tag) {
		delete(out, "Content-Type")
		x.out.WriteHeader(http.StatusNotModified)
		return nil
	}
	x.write(http.StatusOK, b.Bytes())
	return nil
}

func (f *Facade) docsPage(x *exchange) docsPage {
	code := string(x.voice)
	p := docsPage{
		Voice:    x.voice,
		Language: code,
		// One root's for all languages: a change of language loads nothing anew.
		Assets:   f.publicPath(0) + DocsPath + "/" + docsAssets().version,
		Document: f.link(x.choice.Index, code, documentPath()),
		Server:   f.publicPath(x.choice.Index),
	}
	for i, l := range f.options.Site {
		p.Languages = append(p.Languages, docsLanguage{
			Code:    l.Code,
			Name:    i18n.Voice(l.Code).Text("page.language", nil),
			Page:    f.link(i, l.Code, DocsPath+"/"),
			Current: l.Code == code,
		})
	}
	return p
}

// link leads below the root of language i to what speaks code there.
func (f *Facade) link(i int, code, path string) string {
	return f.publicPath(i) + path + rewrite.Naming(f.legacy.roots, i, code)
}

// publicPath is the path of the namespace as browsers see it, below the path of
// the public URL.
func (f *Facade) publicPath(root int) string {
	u, err := url.Parse(f.legacy.roots[root].Base())
	if err != nil {
		panic("BUG: the public URL was validated: " + err.Error())
	}
	return u.EscapedPath()
}

// documentPath is where the table has the document.
func documentPath() string {
	for i := range mapping.Table {
		if mapping.Table[i].Action == mapping.Doc {
			return mapping.Table[i].Path
		}
	}
	panic("BUG: the table has no documentation")
}

// docsMethod refuses what a page cannot answer.
func docsMethod(method string) error {
	if method == http.MethodGet || method == http.MethodHead {
		return nil
	}
	return problem.MethodNotAllowed(docsMethods)
}
