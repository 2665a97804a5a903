package admin

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"reflect"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Switch refuses writes or accepts them again. The facade implements it.
type Switch interface {
	ReadOnly() bool
	SetReadOnly(enabled bool)
}

// statusPath is the path of the page. Paths on it are relative, so that it may be published below any other.
const statusPath = "/status/"

// handlePage adds the paths of the status page.
func (a *Admin) handlePage() {
	handle := func(method, path string, h http.HandlerFunc) {
		a.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) {
			maps.Copy(w.Header(), statusHeader)
			if r.Method != http.MethodPost || readForm(w, r) {
				h(w, r)
			}
		})
	}
	toStatus := func(w http.ResponseWriter, _ *http.Request) { seeOther(w, "status/") }
	handle("GET", "/{$}", toStatus)
	handle("GET", "/status", toStatus)
	handle("GET", statusPath+"{$}", a.admit(a.showStatus))
	handle("GET", statusPath+"staging", a.admit(a.showStaging))
	handle("GET", statusPath+"confirm", a.admit(a.showConfirm))
	handle("GET", statusPath+"sign-in", a.showSignIn)
	handle("POST", statusPath+"sign-in", a.signIn)
	handle("POST", statusPath+"sign-out", a.admit(a.signOut))
	handle("POST", statusPath+"do", a.admit(a.act))
	files, _ := fs.Sub(statusFiles, "files") // never fails
	handle("GET", statusPath+"{file}", http.StripPrefix(statusPath, http.FileServerFS(files)).ServeHTTP)
	handle("GET", statusPath+"palette.css", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, "text/css", []byte(docs.Palette))
	})
}

//go:embed files templates
var statusFiles embed.FS

var statusTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"count": count, "portion": portion, "tags": tagsText, "target": targetHealth, "plural": english.Plural,
	"describe": staging.Describe, "kinds": Kinds,
	"bytes": func(n any) string { return humanize.IBytes(uint64(integer(n))) },
}).ParseFS(statusFiles, "templates/*.html"))

func integer(n any) int64 { return reflect.ValueOf(n).Convert(reflect.TypeFor[int64]()).Int() }

// count writes a number with separators.
func count(n any) string { return humanize.Comma(integer(n)) }

// portion writes a part of a count.
func portion(part, total uint64) string {
	if total == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3g %% (%s of %s)", 100*float64(part)/float64(total), count(part), count(total))
}

const shownTags = 5 // of a purge

// tagsText lists the first of n tags.
func tagsText(tags []string, n int, everything bool) string {
	if everything {
		return "everything"
	}
	first := tags[:min(len(tags), shownTags)]
	text := strings.Join(first, ", ")
	if hidden := n - len(first); hidden > 0 {
		text += fmt.Sprintf(" and %d more", hidden)
	}
	return text
}

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
