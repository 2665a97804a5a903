package docs

import (
	"bytes"
	"embed"
	"html/template"
	"maps"
	"net/http"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// Path is the path of the page below a root and the namespace. Path is no row of the table:
// the page is not part of the contract with clients.
const Path = "/docs"

// StartPath is the path of the start page below the public URL. The start page, like the documentation page,
// is not part of the contract with clients.
const StartPath = "/"

// ClientFile is the name, below the page, of the document for generators of clients.
const ClientFile = "openapi-client.json"

// Methods are the methods of the pages and their files, for Allow.
const Methods = http.MethodGet + ", " + http.MethodHead

//go:embed documentation.html layout.html start.html
var templates embed.FS

// PageHeader restricts the use of the page by browsers, since the page shares the origin of the
// API. Scripts and styles come from files, so that neither is allowed inline. The style
// sheet contains its images as data URLs. The header must not be changed.
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

// StartHeader restricts the use of the start page by browsers. The page has no scripts and sends
// no requests. The header must not be changed.
var StartHeader = func() http.Header {
	h := maps.Clone(PageHeader)
	h["Content-Security-Policy"] = []string{"default-src 'none'; style-src 'self'; img-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
	return h
}()

// page is the data of all templates. The members in JSON are the start page for programs.
type page struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Language    string            `json:"language"`
	Links       map[string]string `json:"links"` // documentation, openapi, index, and the lists by resource
	Languages   []language        `json:"languages"`

	Assets  string `json:"-"` // path below which the files are
	Clients string `json:"-"` // path of the document for generators of clients
	Server  string `json:"-"` // path of the namespace that the page sends requests to
	Cookies bool   `json:"-"` // the login cookies of WordPress are accepted
}

type language struct {
	Code string `json:"code"`
	Name string `json:"name"`
	Href string `json:"href"`
}

// render returns a page. layout.html has the common parts of the pages.
func render(name string, texts i18n.Catalog, funcs template.FuncMap, data any) []byte {
	var b bytes.Buffer
	err := template.Must(template.New("layout.html").Funcs(funcs).Funcs(template.FuncMap{
		"text": func(key string) string { return texts.Text(key, map[string]string{"Parameter": mapping.Language.Name}) },
	}).ParseFS(templates, "layout.html", name)).Execute(&b, data)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return b.Bytes()
}

// section is a part of the introduction. The texts have keys for values, and are about a name or general.
type section struct {
	ID, Title string
	Texts     mapping.Members
}

// introduction has the sections about all operations.
var introduction = []section{
	{"languages", "page.languages", mapping.Members{{"", "page.about_languages"}, {mapping.Language.Name, "common.language"}}},
	{"paging", "page.paging", mapping.Members{{"", "note.paging"}, {"", "note.page_past_the_end"}}},
	{"dates", "page.dates", mapping.Members{{"start_date", "events.field.start_date"},
		{"utc_start_date", "answer.event.utc_start_date"}, {"", "note.window"}}},
	{"errors", "page.errors", mapping.Members{{"", "page.about_errors"}}},
	{"updates", "page.updates", mapping.Members{{"", "note.update"}, {"", "note.reset"}}},
	{"conditions", "page.conditions", mapping.Members{{"If-Match", "header.If-Match"},
		{"If-Unmodified-Since", "header.If-Unmodified-Since"}}},
}
