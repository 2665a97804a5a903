package rewrite

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// walker goes through a response with its shape.
type walker struct {
	*jsonscan.Scanner
	answer
	Result
	ctx        context.Context // of the pass
	looked     int             // offset of the last look at ctx
	out        []byte
	copied     int                   // offset in src up to which out is complete
	shownItems map[mapping.Item]bool // the items of Shows
	plain      []byte                // the string that is rewritten, without escapes; reused for the next
}

// item is the walker's memory of the current object.
type item struct {
	resource string
	numbered bool   // the id was read, or the object has no id
	page     []byte // URL of the page on the site, from src
}

// splice begins to replace v, the value that was read last.
func (w *walker) splice(v []byte) {
	w.out = append(w.out, w.Src[w.copied:w.Pos()-len(v)]...)
	w.copied = w.Pos()
}

// string rewrites a string by its class.
func (w *walker) string(a *mapping.Attribute, owner *item, quoted jsontext.Value) {
	if quoted == nil {
		return // after an error
	}
	s := quoted[1 : len(quoted)-1]
	class := w.names.classes[a.Class]
	isPage := class == mapping.PageLink || class == mapping.Website
	switch {
	case class == mapping.Plain || class == mapping.Prose || (isPage || class == mapping.Other) && !siteurl.MayBegin(s):
		return // most strings, without a second look
	case class == mapping.Email:
		w.email(quoted)
		return
	case class == mapping.PageLink:
		owner.page = s
		if len(w.pages) == 0 {
			return // the link stays
		}
	case class == mapping.Website && owner.page != nil && siteurl.SamePage(s, owner.page):
		// Without a website the legacy responds with the item's page.
		w.splice(quoted)
		w.out = append(w.out, `""`...)
		return
	}
	var escaped bool
	w.plain, escaped = jsonscan.AppendUnescaped(w.plain[:0], s)
	l, ok := w.replace(class, w.plain)
	if ok && l.equals(w.plain) {
		return
	}
	w.splice(quoted)
	if !ok {
		w.out = append(w.out, "null"...)
		return
	}
	w.out = l.appendQuoted(w.out, escaped)
}

// replace returns the replacement for s, the inside of a JSON string with plain slashes; ok is false for a link
// that leads out of the namespace.
func (w *walker) replace(class mapping.Class, s []byte) (l link, ok bool) {
	switch {
	case class == mapping.PageLink:
		return w.page(s, w.names), true
	case w.names.own:
		return w.moved(class, s), true
	}
	switch class {
	case mapping.RestLink:
		return w.public(s, true)
	case mapping.ThisPage, mapping.NextPage, mapping.PreviousPage:
		return w.pageLink(class), true
	case mapping.Website:
		return link{tail: s}, true
	case mapping.Taxonomy:
		return w.machineName(s, w.names), true
	}
	if _, _, isREST := w.restLink(s); isREST {
		return w.public(s, false)
	}
	if class == mapping.Message {
		s = w.message(s)
	}
	return link{tail: s}, true
}

// pageLink makes a list's link from the call, in the names of the client: the legacy's loses filters.
func (w *walker) pageLink(c mapping.Class) link {
	n := w.call.Page()
	switch c {
	case mapping.NextPage:
		n++
	case mapping.PreviousPage:
		n = max(1, n-1)
	}
	target, _ := w.names.renamed([]byte(w.call.PageLink("", n)), w.neutral.API)
	return link{head: w.names.bases[w.root], tail: target}
}

// hidden matches a character of an address as an entity.
var hidden = regexp.MustCompile(`&#([0-9]{1,3});`)

// email rewrites a string, an address, to the text that the author wrote: WordPress writes
// each character as itself or as an entity, by chance, so that no two responses are alike.
func (w *walker) email(quoted jsontext.Value) {
	plain, _ := jsonscan.Unescape(quoted)
	if !hidden.Match(plain) {
		return
	}
	w.splice(quoted)
	w.out = append(w.out, hidden.ReplaceAllFunc(plain, func(entity []byte) []byte {
		code, _ := strconv.Atoi(string(entity[len("&#") : len(entity)-1])) // digits
		if code <= ' ' || code > '~' {
			return entity
		}
		quoted := jsonscan.Quote(string(rune(code)))
		return []byte(quoted[1 : len(quoted)-1])
	})...)
}

// targets returns the targets of a relation that have one href, in the namespace.
func (w *walker) targets(relation jsontext.Value) (list [][]byte) {
	items, _ := jsonscan.Elements(relation) // other values have no elements
	for _, item := range items {
		var hrefs []jsontext.Value
		for name, v := range jsonscan.Each(item) {
			if name == "href" {
				hrefs = append(hrefs, v)
			}
		}
		if len(hrefs) != 1 || hrefs[0].Kind() != jsontext.KindString {
			continue
		}
		plain, escaped := jsonscan.Unescape(hrefs[0][1 : len(hrefs[0])-1])
		if l, ok := w.public(plain, false); ok {
			list = append(list, jsonscan.With(item, "href", string(l.appendQuoted(nil, escaped))))
		}
	}
	return list
}

// Result is a body in the names that the client speaks.
type Result struct {
	Body  []byte
	ID    string         // of the item, if the response is an item
	Shows []mapping.Item // the items inside, each once
	Count Count          // of a list

	listed   bool // the list has its items
	paged    bool // the list has the number of pages
	marked   bool // the last object has the marks of the shape: at the end, the whole body
	unmarked bool // an item of a list lacks the marks
}

// Check returns an error unless a success has the attributes of every recorded success, and so is no response
// of a firewall or of a plugin in front of the API: a list has items, counts and links, and an item has the
// requested id. Both, and each item of a list, have the marks of the shape (see [mapping.Shape]). A deleted
// item must not remain.
func (r *Result) Check(c *mapping.Call, status int) error {
	_, isID := mapping.ParseID(r.ID)
	switch e := c.Endpoint; {
	case status >= http.StatusBadRequest:
		return nil
	case !r.marked, r.unmarked && !c.Scans(),
		e.Action == mapping.List && (!r.listed || !r.Count.Known || !r.paged),
		e.Action != mapping.List && (!isID || c.Item != "" && !e.BySlug && c.Item != r.ID),
		e.Action == mapping.Delete && mapping.Remains(r.Body):
		return errNotTheResult
	}
	return nil
}

// Count is the size of a list, from the header or the body.
type Count struct {
	Known        bool
	Total, Pages int
}

// errNotTheResult is the error of a success that lacks attributes that the table's shape has in all recordings.
var errNotTheResult = errors.New("the answer is JSON, and not what was asked for: a list without its items, counts or links, " +
	"an item without its id, name or links, another item, or nothing deleted")

// ErrNotJSON reports that the legacy answered with something else than one JSON
// value, such as an HTML page or a PHP warning before the JSON.
var ErrNotJSON = errors.New("the answer is not JSON")
