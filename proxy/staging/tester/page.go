package tester

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"list": func(names []string, none string) string { return cmp.Or(strings.Join(names, ", "), none) },
}).Parse(pageHTML))

// policy permits the style and the script of the page, and forms to where it came from.
var policy = "default-src 'none'; style-src " + hashOf(pageCSS) + "; script-src " + hashOf(pageJS) +
	"; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// pageHeader is that of every response of the page. It must not be changed.
var pageHeader = http.Header{
	"Cache-Control":           {"private, no-store"},
	"Content-Language":        {"en"},
	"Content-Security-Policy": {policy},
	"Content-Type":            {"text/html; charset=utf-8"},
	"Referrer-Policy":         {"no-referrer"},
	"X-Content-Type-Options":  {"nosniff"},
	"X-Robots-Tag":            {"noindex"},
}

// maxForm is how many bytes a form may have.
const maxForm = 4 << 10

// sameOrigin refuses forms of other origins: no page but this one starts or stops a test.
var sameOrigin = http.NewCrossOriginProtection()

// HasPage reports whether a request is for the page.
func (t *Testers) HasPage(r *http.Request) bool {
	return t != nil && t.cookie && slices.Contains(t.pages, r.URL.Path)
}

// ServePage serves the page on which a browser stores a token as a cookie, or deletes it.
// backend is the name of the candidate; only testers see it.
func (t *Testers) ServePage(w http.ResponseWriter, r *http.Request, now time.Time, backend string) {
	for name, values := range pageHeader {
		w.Header()[name] = values
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		p, result := t.Of(http.Header{"Cookie": r.Header["Cookie"]}, now)
		if result != None && result != Candidate {
			w.Header()["Set-Cookie"] = t.ClearCookie()
		}
		t.show(w, http.StatusOK, p, result, backend)
	case http.MethodPost:
		t.act(w, r, now, backend)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// act starts or stops a test, and sends the browser back to the page.
func (t *Testers) act(w http.ResponseWriter, r *http.Request, now time.Time, backend string) {
	if sameOrigin.Check(r) != nil {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if r.ParseForm() != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if r.PostForm.Get("do") == "stop" {
		w.Header()["Set-Cookie"] = t.ClearCookie()
	} else {
		token := strings.TrimSpace(r.PostForm.Get("token"))
		p, result := t.Check(token, now)
		if result != Candidate {
			t.show(w, http.StatusForbidden, Pass{}, result, backend)
			return
		}
		w.Header()["Set-Cookie"] = t.SetCookie(token, p, now)
	}
	w.Header().Set("Location", strings.TrimPrefix(PagePath, "/")) // relative: a proxy in front may have cut the path
	w.WriteHeader(http.StatusSeeOther)
}

func (t *Testers) show(w http.ResponseWriter, status int, p Pass, result Result, backend string) {
	data := struct {
		Style          template.CSS
		Script         template.JS
		Pass           *Pass // nil: no tester
		Refused        bool
		Until, Backend string
		MaxLen         int
	}{Style: template.CSS(pageCSS), Script: template.JS(pageJS), MaxLen: MaxTokenLen} // #nosec G203 -- files of this package
	switch result {
	case None:
	case Candidate:
		data.Pass, data.Until, data.Backend = &p, p.Expires.Format(time.DateTime), backend
	default:
		data.Refused = true
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, data); err != nil {
		panic("BUG: the page of testers: " + err.Error())
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may have disconnected
}
