package sim

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// webserver answers what the web server before PHP refuses by itself, and reports
// whether it has.
func (s Setup) webserver(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case r.Method == http.MethodTrace:
		refusePage(w, "405 Not Allowed", http.StatusMethodNotAllowed)
	case strings.Contains(r.URL.Path, "\x00"):
		refusePage(w, "400 Bad Request", http.StatusBadRequest)
	case s.Host != "" && r.Host != s.Host:
		refusePage(w, "404 Not Found", http.StatusNotFound)
	case !strings.HasPrefix(r.URL.Path+"/", s.directory()+"/"):
		refusePage(w, "404 Not Found", http.StatusNotFound)
	case r.URL.Path == s.directory()+"/" && !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost}, r.Method):
		refusePage(w, "405 Not Allowed", http.StatusMethodNotAllowed) // the file behind a directory accepts no others
	case !s.passes(r):
		set(w.Header(), "WWW-Authenticate", `Basic realm="staging"`)
		refusePage(w, "401 Authorization Required", http.StatusUnauthorized)
	default:
		return false
	}
	return true
}

// passes reports whether a request has the credentials of the web server, and leaves it
// with those for WordPress.
func (s Setup) passes(r *http.Request) bool {
	if s.Basic == "" {
		return true
	}
	user, password, _ := r.BasicAuth()
	if user+":"+password != s.Basic {
		return false
	}
	r.Header.Del("Authorization")
	if inner := r.Header.Get("X-Authorization"); inner != "" {
		r.Header.Set("Authorization", inner)
	}
	return true
}

func refusePage(w http.ResponseWriter, title string, status int) {
	set(w.Header(), "Content-Type", "text/html")
	w.WriteHeader(status)
	page := "<html>\r\n<head><title>%[1]s</title></head>\r\n<body>\r\n<center><h1>%[1]s</h1></center>\r\n" +
		"<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n"
	_, _ = fmt.Fprintf(w, page, title)
}

// headers are those that are on every answer.
func (s Setup) headers(w http.ResponseWriter) {
	if s.Cookie != "" {
		http.SetCookie(w, &http.Cookie{Name: s.Cookie, Value: rand.Text(), Path: "/"})
	}
	if s.NoStore {
		set(w.Header(), "Cache-Control", "no-store, no-cache, must-revalidate")
	}
}

// set preserves the spelling of the name, which http.Header.Set would change.
func set(h http.Header, name, value string) { h[name] = []string{value} }
