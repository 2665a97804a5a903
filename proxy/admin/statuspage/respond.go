package statuspage

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"reflect"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/staging"
)

//go:embed files
var statusFiles embed.FS

var statusTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"count": count, "portion": portion, "tags": tagsText, "target": targetHealth, "findingID": findingID,
	"describe": staging.Describe, "bytes": func(n any) string {
		return humanize.IBytes(reflect.ValueOf(n).Convert(reflect.TypeFor[uint64]()).Uint())
	},
}).ParseFS(statusFiles, "files/*.html"))

// count writes a number with separators.
func count(n any) string {
	return humanize.Comma(reflect.ValueOf(n).Convert(reflect.TypeFor[int64]()).Int())
}

// portion writes a part of a count.
func portion(part, all uint64) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3g %% (%s of %s)", 100*float64(part)/float64(all), count(part), count(all))
}

// tagsText lists the first of n tags.
func tagsText(tags []string, n int, all bool) string {
	if all {
		return "everything"
	}
	shown := tags[:min(len(tags), shownTags)]
	text := strings.Join(shown, ", ")
	if more := n - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shortened returns the beginning of a text of more than limit bytes.
func shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// statusHeader lets the page load its own files, and nothing else.
var statusHeader = http.Header{
	"Content-Security-Policy": {"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Referrer-Policy":              {"same-origin"}, // with no-referrer a form would have no Origin
	"X-Content-Type-Options":       {"nosniff"},
	"X-Frame-Options":              {"DENY"},
	"X-Robots-Tag":                 {"noindex"},
	"Cache-Control":                {"no-store"},
}

// seeOther redirects to a path relative to the request's, which [http.Redirect] would make
// absolute.
func seeOther(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// refuse sends a page with a reason.
func refuse(w http.ResponseWriter, status int, reason string) {
	show(w, status, "refused.html", reason)
}

func show(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := statusTemplates.ExecuteTemplate(&b, name, data); err != nil {
		panic("BUG: the template " + name + ": " + err.Error())
	}
	send(w, status, "text/html; charset=utf-8", b.Bytes())
}

func statusFile(w http.ResponseWriter, r *http.Request) {
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	name := r.PathValue("file")
	data, err := statusFiles.ReadFile("files/" + name)
	if name == "palette.css" {
		data, err = docs.Palette(), nil
	}
	kind, known := kinds[path.Ext(name)]
	if err != nil || !known {
		http.NotFound(w, r)
		return
	}
	send(w, http.StatusOK, kind, data)
}

func send(w http.ResponseWriter, status int, kind string, body []byte) {
	out := w.Header()
	for name, values := range statusHeader {
		out[name] = values
	}
	out.Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have disconnected
}
