package tester

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/calfacade/calfacade/i18n"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// policy permits the style and the script of the page, and forms to where it came from.
var policy = "default-src 'none'; style-src " + hashOf(pageCSS) + "; script-src " + hashOf(pageJS) +
	"; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// pageHeader is that of every response of the page, beside its language. It must not be changed.
var pageHeader = http.Header{
	"Cache-Control":           {"private, no-store"},
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
	return t != nil && t.cookie && t.pages[r.URL.Path] != ""
}

// ServePage serves the page on which a browser stores a token as a cookie, or deletes it.
// It has the language of its root. backend is the name of the candidate; only testers see it.
func (t *Testers) ServePage(w http.ResponseWriter, r *http.Request, now time.Time, backend string) {
	for name, values := range pageHeader {
		w.Header()[name] = values
	}
	texts := t.pages[r.URL.Path]
	w.Header().Set("Content-Language", string(texts))
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		p, result := t.Of(http.Header{"Cookie": r.Header["Cookie"]}, now)
		if result != None && result != Candidate {
			w.Header()["Set-Cookie"] = t.ClearCookie()
		}
		show(w, http.StatusOK, pageOf(texts, p, result, backend))
	case http.MethodPost:
		t.act(w, r, now, texts)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// act starts or stops a test, and sends the browser back to the page.
func (t *Testers) act(w http.ResponseWriter, r *http.Request, now time.Time, texts i18n.Catalog) {
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
			show(w, http.StatusForbidden, pageOf(texts, Pass{}, result, ""))
			return
		}
		w.Header()["Set-Cookie"] = t.SetCookie(token, p, now)
	}
	w.Header().Set("Location", strings.TrimPrefix(PagePath, "/")) // relative: a proxy in front may have cut the path
	w.WriteHeader(http.StatusSeeOther)
}

// pageData is the data of the template.
type pageData struct {
	Style  template.CSS
	Script template.JS

	texts  i18n.Catalog
	Tester string // what the pass permits; "" for no tester

	Refused bool
	MaxLen  int
}

// Language returns the code of the language of the page.
func (p pageData) Language() string { return string(p.texts) }

// Text returns a text of the page.
func (p pageData) Text(key string) string { return p.texts.Text(key, nil) }

// pageOf returns the data for a client with that result of a check.
func pageOf(texts i18n.Catalog, p Pass, result Result, backend string) pageData {
	d := pageData{Style: template.CSS(pageCSS), Script: template.JS(pageJS), texts: texts, MaxLen: MaxTokenLen} // #nosec G203 -- files of this package
	switch result {
	case None:
	case Candidate:
		key := "page.tester_reads"
		if p.Writes {
			key = "page.tester_changes"
		}
		d.Tester = texts.Text(key, map[string]string{
			"Name": p.Name, "Until": p.Expires.Format(time.DateTime), "Backend": backend,
			"Resources": cmp.Or(strings.Join(p.Resources, ", "), texts.Text("page.tester_resources", nil)),
			"Languages": cmp.Or(strings.Join(p.Languages, ", "), texts.Text("page.tester_languages", nil)),
		})
	default:
		d.Refused = true
	}
	return d
}

func show(w http.ResponseWriter, status int, d pageData) {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, d); err != nil {
		panic("BUG: the page of testers: " + err.Error())
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may have disconnected
}
