package mapping

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotJSON says that the legacy answered with something else than one JSON
// value, such as an HTML page or a PHP warning before the JSON.
var ErrNotJSON = errors.New("the answer is not JSON")

// Answer is a body in the neutral namespace.
type Answer struct {
	Body  []byte
	ID    string // of the item, where the answer is one
	Shows []Item // what is inside, each once
}

// Item names an item of a resource by its id.
type Item struct{ Resource, ID string }

// Rewrite turns the body of the legacy's answer to c into the facade's. root is
// the index of the root that answered.
//
// It replaces tokens and copies every other byte: number text, key order,
// escapes and white space stay. Time and memory are linear in the body.
func (r *Rewriter) Rewrite(c *Call, root, status int, body []byte) (Answer, error) {
	w := walker{rewriter: r, call: c, root: root, src: body, dec: newDecoder(body)}
	w.out = make([]byte, 0, len(body)+len(body)/8) // the neutral names are longer
	top := &Attribute{Class: Object, Shape: c.Endpoint.Result}
	if c.Endpoint.Action != List {
		top.Resource = c.Endpoint.Resource
	}
	if status >= http.StatusBadRequest {
		top = &unknown
	}
	err := w.value(top, nil)
	if err == nil {
		if _, more := w.dec.ReadToken(); !errors.Is(more, io.EOF) {
			err = errTrailing
		}
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	out := append(w.out, body[w.copied:]...)
	if status >= http.StatusBadRequest {
		out = r.renameParam(out)
	}
	return Answer{Body: out, ID: w.id, Shows: w.shows}, nil
}

// newDecoder reads what PHP wrote. Names that stand twice are the legacy's
// business; it is only copied.
func newDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
}

type walker struct {
	rewriter *Rewriter
	call     *Call
	root     int
	src      []byte
	dec      *jsontext.Decoder
	out      []byte
	copied   int // how much of src is in out, as it was or replaced
	id       string
	shows    []Item
}

// item is what the walker remembers of the object it is in.
type item struct {
	resource string
	page     string // its URL on the site
}

func (w *walker) value(a *Attribute, in *item) error {
	switch kind := w.dec.PeekKind(); {
	case a.Class == Prose:
		return w.dec.SkipValue()
	case kind == '{' && a.Class == Relations:
		return w.relations()
	case kind == '{':
		return w.object(a)
	case kind == '[':
		return w.list(a, in)
	case kind == '"':
		return w.text(a, in)
	}
	return w.dec.SkipValue()
}

func (w *walker) list(a *Attribute, in *item) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for kind := w.dec.PeekKind(); kind != ']'; kind = w.dec.PeekKind() {
		if kind == 0 {
			return w.fail()
		}
		if err := w.value(a, in); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

func (w *walker) object(a *Attribute) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	top := w.dec.StackDepth() == 1
	it := item{resource: a.Resource}
	for kind := w.dec.PeekKind(); kind != '}'; kind = w.dec.PeekKind() {
		if kind == 0 {
			return w.fail()
		}
		name, err := w.dec.ReadValue()
		if err != nil {
			return err
		}
		inner := a.Shape.attribute(unquoted(name))
		if err := w.member(inner, &it, top); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// member reads the value of an object's member, and what it says of who is
// inside.
func (w *walker) member(a *Attribute, in *item, top bool) error {
	isID := in.resource != "" && a.Name == id.Name
	if !isID && a.Class != Parent {
		return w.value(a, in)
	}
	number, err := w.number()
	if err != nil || number == "" || number == "0" {
		return err
	}
	if isID && top {
		w.id = number
	}
	w.show(Item{in.resource, number})
	return nil
}

func (w *walker) show(shown Item) {
	if shown.Resource != "" && !slices.Contains(w.shows, shown) {
		w.shows = append(w.shows, shown)
	}
}

func (w *walker) number() (string, error) {
	v, err := w.dec.ReadValue()
	if err != nil || v.Kind() != '0' {
		return "", err
	}
	return string(v), nil
}

// fail gives the error that made PeekKind see nothing.
func (w *walker) fail() error {
	_, err := w.dec.ReadToken()
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// text rewrites a string by its class.
func (w *walker) text(a *Attribute, in *item) error {
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	if a.Class == Plain {
		return nil
	}
	s := raw[1 : len(raw)-1]
	if a.Class.isURL() && !bytes.HasPrefix(s, []byte("http")) {
		return nil // most strings, without a copy of them
	}
	escaped := bytes.Contains(s, []byte(`\/`))
	old := string(s)
	if escaped {
		old = strings.ReplaceAll(old, `\/`, `/`)
	}
	link, keep := w.replace(a, in, old)
	switch {
	case !keep:
		w.splice(len(raw), "null")
	case link != old:
		if escaped {
			link = strings.ReplaceAll(link, `/`, `\/`)
		}
		w.splice(len(raw), `"`+link+`"`)
	}
	return nil
}

// replace gives what stands for s, the inside of a JSON string whose slashes are
// plain; keep is false for a link that leads out of the namespace.
func (w *walker) replace(a *Attribute, in *item, s string) (link string, keep bool) {
	r := w.rewriter
	switch a.Class {
	case RestLink:
		return r.mustNeutral(s, w.root)
	case ThisPage, NextPage, PreviousPage:
		return w.pageLink(a.Class), true
	case PageLink:
		in.page = s
		return r.page(s), true
	case Website:
		if in.page != "" && plainAmpersand(s) == plainAmpersand(in.page) {
			return r.page(s), true
		}
		return s, true
	case Taxonomy:
		return machineName(s), true
	}
	if _, _, rest := r.restLink(s, w.root); !rest {
		return s, true
	}
	return r.neutral(s, w.root)
}

// plainAmpersand makes comparable what WordPress escapes in one place and not
// in another.
func plainAmpersand(s string) string { return ampersands.Replace(s) }

var ampersands = strings.NewReplacer("&#038;", "&", "&amp;", "&")

func (w *walker) pageLink(c Class) string {
	n := w.call.Page()
	switch c {
	case NextPage:
		n++
	case PreviousPage:
		n = max(1, n-1)
	}
	return w.call.PageLink(w.rewriter.roots[w.root].Base(), n)
}

// splice puts s in place of the value of n bytes that was just read.
func (w *walker) splice(n int, s string) {
	end := int(w.dec.InputOffset())
	w.out = append(w.out, w.src[w.copied:end-n]...)
	w.out = append(w.out, s...)
	w.copied = end
}

// unquoted gives the text of a JSON string; without escapes it is raw's own
// bytes, good until the decoder reads on.
func unquoted(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	s, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return nil
	}
	return s
}
