package rewrite

import (
	"bytes"
	"context"
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
// Rewrite replaces strings and copies every other byte: number text, key order,
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
	if failed && !w.names.own {
		w.Body = w.rename(w.Body)
	}
	return w.Result, nil
}

// Describe returns the legacy's description of an interface, such as the index, with the links to the namespace
// at the public URLs. root is the index of the root that answered.
func (r *Rewriter) Describe(ctx context.Context, root int, description []byte) ([]byte, error) {
	call := mapping.Call{Endpoint: &mapping.Endpoint{}, InLegacyNames: true}
	w := walker{Scanner: jsonscan.NewScanner(description), ctx: ctx, answer: r.answer(&call, root)}
	return w.pass(&texts)
}

// texts is the attribute of an error or a description, and of all values inside.
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

// bytesPerLook is the number of bytes that the walker reads between two looks at the context, which then cost
// nothing in comparison.
const bytesPerLook = 16 << 10

// look ends the pass if the context is done.
func (w *walker) look() {
	if position := w.Pos(); position-w.looked >= bytesPerLook && w.Err == nil {
		w.looked = position
		w.Err = w.ctx.Err()
	}
}

// object reads an object. next is the position in the shape of the member that the legacy sends next, if all
// are sent.
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

// element reads an element of a list. With an element that is no object the body is not the requested list.
func (w *walker) element(a *mapping.Attribute, owner *item) {
	isItem := w.Peek() == '{'
	w.value(a, owner)
	if w.isList(a) {
		w.listed = w.listed && isItem
		w.unmarked = w.unmarked || !w.marked
	}
}

// isList reports whether the walker is in the requested list, and outside of all items.
func (w *walker) isList(a *mapping.Attribute) bool {
	return w.Depth() == 2 && w.listed && a.Name == w.call.Endpoint.Resource
}

// member reads the value of an object's member, and collects the counts of a list and the ids of items.
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

// relations preserves, of _links, the targets inside the namespace. Relations without targets are removed, and
// so are abbreviations (curies). In the legacy's names everything that the legacy has sent stays.
func (w *walker) relations() {
	if w.names.own {
		w.object(&texts)
		return
	}
	relations := w.Value()
	w.splice(relations)
	var preserved []string
	for name, v := range jsonscan.Each(relations) {
		if targets := w.targets(v); targets != nil {
			preserved = append(preserved, jsonscan.Quote(name)+":"+jsonscan.List(targets))
		}
	}
	w.out = append(w.out, "{"+strings.Join(preserved, ",")+"}"...)
}
