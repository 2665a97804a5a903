package rewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Rewrite turns the body of a backend's response to c into the facade's, in the names that the
// client of c speaks. root is the index of the root that answered.
//
// It replaces strings and copies every other byte: number text, key order,
// escapes and white space stay. Time and memory are linear in the body. Rewriting a long body
// stops with the error of ctx when that is done.
func (r *Rewriter) Rewrite(ctx context.Context, c *mapping.Call, root, status int, body []byte) (Result, error) {
	w := walker{Scanner: jsonscan.NewScanner(body), answer: r.answer(c, root), ctx: ctx}
	w.out = make([]byte, 0, len(body)+len(body)/8) // the neutral names are longer
	w.shownItems = map[mapping.Item]bool{}
	top := mapping.Attribute{Class: mapping.Object, Shape: c.Endpoint.Result}
	if c.Endpoint.Action != mapping.List {
		top.Resource = c.Endpoint.Resource
	}
	failed := status >= http.StatusBadRequest
	if failed {
		top = texts
	}
	isObject := w.Peek() == '{'
	var err error
	w.Body, err = w.pass(&top)
	if err == nil && !isObject && !failed {
		err = errNotTheResult
	}
	if err != nil {
		return Result{}, err
	}
	if failed && !w.isOwn() {
		w.Body = w.rename(w.Body)
	}
	return w.Result, nil
}

// texts is the attribute of an error or a description, and of all that it holds.
var texts = mapping.Attribute{Class: mapping.Message, Shape: &mapping.Shape{}}

func init() { texts.Shape.Rest = &texts }

// pass rewrites the whole body, which has the attribute top.
func (w *walker) pass(top *mapping.Attribute) ([]byte, error) {
	w.value(top, nil)
	switch {
	case w.End() == nil:
		return append(w.out, w.Src[w.copied:]...), nil
	case w.ctx.Err() != nil:
		return nil, fmt.Errorf("rewriting the answer: %w", w.ctx.Err())
	}
	return nil, fmt.Errorf("%w: %w", ErrNotJSON, w.Err)
}

func (w *walker) value(a *mapping.Attribute, owner *item) {
	w.look()
	switch kind := w.Peek(); {
	case a.Class == mapping.Prose:
		w.Value()
	case kind == '{' && a.Class == mapping.Relations:
		w.relations()
	case kind == '{':
		w.object(a)
	case kind == '[':
		for range w.Parts() {
			w.element(a, owner)
		}
	case kind == '"':
		w.string(a, owner, w.Value())
	default:
		w.Value()
	}
}

// object reads an object. next is the position in the shape of the member that the legacy sends next, if it sends all.
func (w *walker) object(a *mapping.Attribute) {
	it := item{resource: a.Resource, numbered: a.Resource == ""}
	next := 0
	marks := uint64(0)
	for quoted := range w.Parts() {
		name := jsonscan.Unquote(quoted)
		if a.IsList() && jsonscan.IsIndex(name) { // PHP writes a list with gaps as an object
			w.element(a, nil)
			continue
		}
		if w.isList(a) {
			w.listed = false // an object, and no list with gaps
		}
		var inner *mapping.Attribute
		inner, next = a.Shape.Find(name, next)
		if inner.Mark {
			marks |= 1 << (next - 1)
		}
		w.member(inner, &it)
	}
	w.marked = it.numbered && (a.Shape == nil || marks == a.Shape.Marks)
}

// element reads an element of a list. One that is no object makes the list that was asked for none.
func (w *walker) element(a *mapping.Attribute, owner *item) {
	isItem := w.Peek() == '{'
	w.value(a, owner)
	if w.isList(a) {
		w.listed = w.listed && isItem
		w.unmarked = w.unmarked || !w.marked
	}
}

// isList reports whether the walker is in the list that was asked for, and in none of its items.
func (w *walker) isList(a *mapping.Attribute) bool {
	return w.Depth() == 2 && w.listed && a.Name == w.call.Endpoint.Resource
}

// member reads the value of an object's member, and what it has of who is
// inside.
func (w *walker) member(a *mapping.Attribute, owner *item) {
	kind := w.Peek()
	isID := owner.resource != "" && a.Name == mapping.IDParam.Name
	ofList := owner.resource == "" && w.Depth() == 1
	switch {
	case ofList && a.Name == mapping.TotalName:
		w.Count.Total, w.Count.Known = w.count()
		return
	case ofList && a.Name == mapping.TotalPagesName:
		w.Count.Pages, w.paged = w.count()
		return
	case ofList && a.Name == w.call.Endpoint.Resource:
		w.listed = kind == '[' || kind == '{'
	}
	if !isID && !ofList && a.Class != mapping.Parent || kind != '0' && kind != '"' {
		w.value(a, owner)
		return
	}
	v := w.Value()
	digits := bytes.Trim(v, `"`) // a plugin may make a text of a number
	isIndex := jsonscan.IsIndex(digits)
	switch {
	case kind == '"' && (ofList || !isIndex):
		w.string(a, owner, v)
	case !ofList && isIndex && string(digits) != "0":
		id := w.show(owner.resource, v, digits)
		owner.numbered = owner.numbered || isID
		if isID && w.Depth() == 1 {
			w.ID = id
		}
	}
}

// count reads the number of something, which a plugin may make a text.
func (w *walker) count() (n int, ok bool) {
	digits := bytes.Trim(w.Value(), `"`)
	size, err := strconv.ParseUint(string(digits), 10, 31)
	return int(size), err == nil // #nosec G115 -- 31 bits
}

// show writes the legacy's id of an item for the backend's, which are the digits of v, and
// adds the item to those that the result shows.
func (w *walker) show(resource string, v, digits []byte) (id string) {
	shownItem := mapping.Item{Resource: resource, ID: string(digits)}
	if legacy := w.backend.IDs.Legacy(resource, shownItem.ID); legacy != shownItem.ID {
		w.splice(v)
		w.out = append(w.out, bytes.Replace(v, digits, []byte(legacy), 1)...)
		shownItem.ID = legacy
	}
	if !w.shownItems[shownItem] && resource != "" { // a response may hold any number of items
		w.shownItems[shownItem] = true
		w.Shows = append(w.Shows, shownItem)
	}
	return shownItem.ID
}

// walker goes through a response with its shape.
type walker struct {
	*jsonscan.Scanner
	answer
	Result
	ctx        context.Context // of the pass
	looked     int             // offset of the last look at ctx
	out        []byte
	copied     int                   // how much of src is in out, as it was or replaced
	shownItems map[mapping.Item]bool // the items of Shows
}

// bytesPerLook is how many bytes the walker reads between two looks at its context, which then
// cost nothing beside them.
const bytesPerLook = 16 << 10

// look ends the pass if its context is done.
func (w *walker) look() {
	if position := w.Pos(); position-w.looked >= bytesPerLook && w.Err == nil {
		w.looked = position
		w.Err = w.ctx.Err()
	}
}

// item is the walker's memory of the object it is in.
type item struct {
	resource string
	numbered bool   // its id was read, or it has none
	page     []byte // its URL on the site, as src has it
}

// splice begins to replace v, the value that was read last.
func (w *walker) splice(v []byte) {
	w.out = append(w.out, w.Src[w.copied:w.Pos()-len(v)]...)
	w.copied = w.Pos()
}

// quoted returns a link in its quotes. escaped writes slashes as PHP does.
func (l link) quoted(escaped bool) string {
	url := string(l.head) + string(l.tail) + string(l.naming)
	if escaped {
		url = strings.ReplaceAll(url, "/", `\/`)
	}
	return `"` + url + `"`
}

// Result is a body in the names that the client speaks.
type Result struct {
	Body  []byte
	ID    string         // of the item, where the response is one
	Shows []mapping.Item // the items inside, each once
	Count Count          // of a list

	listed   bool // the items of a list are there
	paged    bool // and the number of its pages
	marked   bool // the object that was read last has the marks of its shape: at the end, the whole body
	unmarked bool // an item of a list lacks them
}

// Check returns an error unless a success has what every recorded one has, so that it is no answer of a
// firewall or of a plugin in front of the API: a list its items, their number and its links, and an item the
// id that was asked for. Both, and each item of a list, have the marks of their shapes (see [mapping.Shape]).
// A deleted item must not remain.
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

// Count is the size of a list, as its header or body has it.
type Count struct {
	Known        bool
	Total, Pages int
}

// errNotTheResult is the error of a success that lacks what the table's shape has in all
// recordings.
var errNotTheResult = errors.New("the answer is JSON, and not what was asked for: a list without its items, counts or links, " +
	"an item without its id, name or links, another item, or nothing deleted")

// ErrNotJSON reports that the legacy answered with something else than one JSON
// value, such as an HTML page or a PHP warning before the JSON.
var ErrNotJSON = errors.New("the answer is not JSON")
