package admin

import (
	"bytes"
	"embed"
	"html/template"
	"maps"
	"net/http"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/calfacade/calfacade/proxy/docs"
)

//go:embed files templates
var statusFiles embed.FS

var statusTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"count": count, "portion": Portion, "tags": tagsText, "target": targetHealth, "plural": english.Plural,
	"kinds": Kinds,
	"bytes": func(n any) string { return humanize.IBytes(uint64(integer(n))) },
}).ParseFS(statusFiles, "templates/*.html"))

// statusHeader restricts browsers as the header of the documentation does, but the page has forms.
var statusHeader = func() http.Header {
	h := maps.Clone(docs.PageHeader)
	h.Del("Content-Type")
	h["Content-Security-Policy"] = []string{"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
		"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"}
	h["Referrer-Policy"] = []string{"same-origin"} // with no-referrer a form would have no Origin
	h["Cache-Control"] = []string{"no-store"}
	return h
}()

// seeOther redirects to a path relative to the request's, which [http.Redirect] would make
// absolute.
func seeOther(w http.ResponseWriter, target string) {
	w.Header().Set("Location", target)
	w.WriteHeader(http.StatusSeeOther)
}

// showRefusal sends a page with a reason.
func showRefusal(w http.ResponseWriter, status int, reason string) {
	show(w, status, "refused.html", reason)
}

func show(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := statusTemplates.ExecuteTemplate(&b, name, data); err != nil {
		panic("BUG: the template " + name + ": " + err.Error())
	}
	send(w, status, "text/html", b.Bytes())
}
