package sim

import (
	"cmp"
	"crypto/rand"
	"net/http"
)

// Setup is in what a site is set up otherwise than the usual one, by its server, its
// plugins or what stands in front of it. The zero value is the usual one.
type Setup struct {
	// Basic is "user:password" that the web server wants as HTTP Basic, "" for none. It
	// hands X-Authorization on to WordPress as Authorization.
	Basic string

	Host string // the only one that is answered; "": any

	Cookie  string // the name of one that each answer sets; "": none
	NoStore bool   // no answer may be stored

	NoTotals bool // the header fields with the counts of a list get lost on the way

	Surplus string // what stands before each answer, a key of Surpluses; "": nothing

	Plain      bool   // permalinks are plain: routes and pages are parameters
	RESTPrefix string // begins the path of the REST interface, without slashes; "": wp-json
	Directory  string // in which the site is, without slashes; "": at the top
	WordPress  string // the directory of WordPress and its files, likewise; "": Directory
}

// Root is the path of the REST root, to which the path of a call is appended.
func (s Setup) Root() string {
	if s.Plain {
		return s.directory() + plainRoot
	}
	return s.directory() + s.prefix()
}

func (s Setup) prefix() string { return "/" + cmp.Or(s.RESTPrefix, "wp-json") }

// directory is the path of the site.
func (s Setup) directory() string { return below(s.Directory) }

// files is the path of WordPress.
func (s Setup) files() string { return below(cmp.Or(s.WordPress, s.Directory)) }

func below(directory string) string {
	if directory == "" {
		return ""
	}
	return "/" + directory
}

// Surpluses are texts that sites write before their answers without meaning to.
var Surpluses = map[string]string{
	"blank-lines": "\n\n",
	"bom":         "\ufeff",
	"notice":      "<br />\n<b>Warning</b>:  Undefined variable $opening in <b>/srv/www/wp-content/plugins/opening-hours/hours.php</b> on line <b>12</b><br />\n",
}

// writer returns what the site writes an answer to.
func (s Setup) writer(w http.ResponseWriter) http.ResponseWriter {
	if s.Cookie != "" {
		http.SetCookie(w, &http.Cookie{Name: s.Cookie, Value: rand.Text(), Path: "/"})
	}
	if s.NoStore {
		set(w.Header(), "Cache-Control", "no-store, no-cache, must-revalidate")
	}
	if s.NoTotals {
		w = &countlessWriter{w}
	}
	if s.Surplus != "" {
		w = &surplusWriter{ResponseWriter: w, text: Surpluses[s.Surplus]}
	}
	return w
}

// surplusWriter writes a text before the body.
type surplusWriter struct {
	http.ResponseWriter
	text string // "" once it is written
}

func (w *surplusWriter) Write(b []byte) (int, error) {
	if w.text != "" {
		if _, err := w.ResponseWriter.Write([]byte(w.text)); err != nil {
			return 0, err
		}
		w.text = ""
	}
	return w.ResponseWriter.Write(b)
}

// countlessWriter removes the counts of a list from the header.
type countlessWriter struct{ http.ResponseWriter }

func (w *countlessWriter) WriteHeader(status int) {
	for _, name := range []string{"X-TEC-Total", "X-TEC-TotalPages", "X-WP-Total", "X-WP-TotalPages"} {
		delete(w.Header(), name)
	}
	w.ResponseWriter.WriteHeader(status)
}
