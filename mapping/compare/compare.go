package compare

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Documents compares the candidate's response to a call of the endpoint, such as
// "events.list", with the reference's. The differences are in the order of the
// reference's document, and nil where there is none but known ones. A difference that repeats another
// one of the same item, as the details of a date do, is left out.
//
// The items of a list are matched by their ids, where all have one that is not
// ignored, and else by what they are. Errors are compared as the endpoint "error".
func (c *Comparer) Documents(endpoint string, want, got Document) []Difference {
	return (&walker{rules: c}).find(endpoint, want, got)
}

// Result has the differences of two responses.
type Result struct {
	Differences []Difference
	Noise       []Difference   // due to the reference, which differs from itself there
	Known       map[string]int // numbers of known differences, by name
}

// Compare compares as Documents does. If there is a difference, again reads the reference once more.
// Real differences are the candidate's from both readings at the same path; where the reference differs
// from itself, they are noise, reported as differences from the first reading.
//
// A reference that differs from itself in [MaxDifferences] paths proves nothing: everything is noise then.
func (c *Comparer) Compare(endpoint string, want, got Document, again func() (Document, error)) (r Result, err error) {
	w := &walker{rules: c}
	differing := w.find(endpoint, want, got)
	r.Known = w.known
	if len(differing) == 0 {
		return r, nil
	}
	control, err := again()
	if err != nil {
		return Result{}, err
	}
	itself := (&walker{rules: c, ofOne: true}).find(endpoint, want, control)
	if len(itself) == 0 {
		r.Differences = differing
		return r, nil
	}
	type one struct {
		at   uint64
		kind Kind
	}
	restless, still := map[uint64]bool{}, map[one]bool{}
	for _, d := range itself {
		restless[d.At] = true
	}
	for _, d := range c.Documents(endpoint, control, got) {
		still[one{d.At, d.Kind}] = true
	}
	for _, d := range differing {
		if len(itself) < MaxDifferences && still[one{d.At, d.Kind}] && !restless[d.At] {
			r.Differences = append(r.Differences, d)
		} else {
			r.Noise = append(r.Noise, d)
		}
	}
	return r, nil
}

func (w *walker) find(endpoint string, want, got Document) []Difference {
	if want.Status != got.Status {
		d := Difference{Kind: Status, Want: statusOf(want), Got: statusOf(got), Cause: causeOfStatus(want, got)}
		k := w.rules.known(func(k *Known) bool {
			return slices.Contains(k.Statuses, [2]string{d.Want, d.Got}) && (k.Endpoints == nil || slices.Contains(k.Endpoints, endpoint))
		})
		if k != nil && !w.ofOne {
			w.count(k, 1)
			return nil
		}
		return []Difference{d}
	}
	if bytes.Equal(want.Body, got.Body) {
		return nil
	}
	if want.Status >= http.StatusBadRequest {
		endpoint = errorEndpoint
	}
	a, b := parse(want.Body), parse(got.Body)
	if a == nil || b == nil {
		return []Difference{unreadable(want.Body, got.Body, a, b)}
	}
	top := w.rules.top(endpoint)
	w.resource = top.of
	w.unlisted(endpoint, a, b)
	w.compare(top, a, b, scope{owner: owner{both: [2]*node{a, b}}})
	if len(w.found) == 0 {
		return w.repeated // of nothing but known differences
	}
	return w.found
}

// statusOf returns a status, and the code of an error.
func statusOf(d Document) string {
	status := strconv.Itoa(d.Status)
	if n := parse(d.Body); n != nil && d.Status >= http.StatusBadRequest {
		if code := n.member("code"); code != nil && code.kind == '"' {
			return shown(status + " " + code.text())
		}
	}
	return status
}

// unreadable returns the difference of documents that are not both JSON. Their content is not shown:
// it may hold anything.
func unreadable(want, got []byte, wanted, gotten *node) Difference {
	show := func(body []byte, n *node) string {
		if n != nil {
			return typeOf(n.kind)
		}
		return fmt.Sprintf("no JSON, %d bytes", len(body))
	}
	kind := Type
	if wanted == nil && gotten == nil {
		kind = Value
	}
	return Difference{Kind: kind, Want: show(want, wanted), Got: show(got, gotten), Cause: Cause{Values: digest(string(kind))}}
}

// Document is a response in the neutral namespace. The counts that a list has in its
// header fields are in its body too.
type Document struct {
	Status int
	Body   []byte

	URL string // of the call to the site; "" where it is not known. It is not compared.
}

// Kind is the way in which two documents differ.
type Kind string

// The kinds.
const (
	Status  Kind = "status"  // of the response; the bodies are not compared then
	Missing Kind = "missing" // the reference has it, the candidate does not
	Extra   Kind = "extra"   // the candidate has it, the reference does not
	Type    Kind = "type"    // another JSON type
	Value   Kind = "value"   // another value of the same type
	Order   Kind = "order"   // a list with its items in another order
)

// Difference is one thing in which the candidate differs.
type Difference struct {
	Path string `json:"path"`           // such as "events[].venue.city"; "" for the whole document
	Kind Kind   `json:"kind"`           // in what way
	Item string `json:"item,omitempty"` // the id of the innermost item of a list that it is in, or is; "" for none
	Want string `json:"want,omitempty"` // what the reference has, to be shown to people; see [MaxShown]
	Got  string `json:"got,omitempty"`  // what the candidate has, likewise

	At    uint64 `json:"-"` // hash of the path with ids of items, in this process
	Cause Cause  `json:"cause,omitzero"`
}

// MaxDifferences is how many differences of one document are reported.
// It is for documents that have nothing in common, which one look shows.
const MaxDifferences = 1000

// walker goes through two documents at once.
type walker struct {
	rules    *Comparer
	ofOne    bool   // both documents are of one site: no difference is known
	resource string // of the documents; "" if the table does not determine it
	found    []Difference
	repeated []Difference // see repeats
	known    map[string]int
}

// scope is the position of the walker: the item, and the exact path.
type scope struct {
	item  string
	at    uint64
	owner owner
}

// in returns the scope of the member with a name, or of the item with a key.
func (s scope) in(key string) scope {
	s.at = maphash.Comparable(seed, struct {
		at  uint64
		key string
	}{s.at, key})
	return s
}

// report adds a difference of the values a and b at a location; one of them is nil if only one document
// has a value there.
func (w *walker) report(p *location, kind Kind, a, b *node, s scope) {
	if p.is(ignored) {
		return
	}
	to := &w.found
	if w.repeats(p, kind, s) {
		to = &w.repeated
	}
	if k := w.knownAs(p, kind, a, b, s); k != nil {
		w.count(k, 1)
	} else if len(*to) < MaxDifferences {
		d := Difference{Path: p.String(), Kind: kind, Item: s.item, At: s.at}
		d.Want, d.Got = texts(kind, p, a, b)
		d.Cause = w.cause(p, d, s.owner)
		*to = append(*to, d)
	}
}

// compare compares two values at a location. Values that are spelled alike are equal by all rules: of
// documents that hardly differ, little is looked at twice.
func (w *walker) compare(p *location, a, b *node, s scope) {
	switch {
	case p.is(ignored) || bytes.Equal(a.raw, b.raw):
	case a.kind == '{' && b.kind == '{':
		w.object(p, a, b, s)
	case a.kind == '[' && b.kind == '[':
		w.list(p, a, b, s)
	case w.rules.same(a, b, p):
	default:
		w.report(p, kindOf(a, b), a, b, s)
	}
}

// kindOf returns in what way two values differ; nil is none.
func kindOf(a, b *node) Kind {
	switch {
	case b == nil:
		return Missing
	case a == nil:
		return Extra
	case typeOf(a.kind) != typeOf(b.kind):
		return Type
	}
	return Value
}

// object compares members by name.
func (w *walker) object(p *location, a, b *node, s scope) {
	s.owner = s.owner.inside(w.rules, p, a, b)
	here, there := a.members(), b.members()
	for i := range a.inner {
		one := &a.inner[i]
		other := there[one.name]
		switch {
		case other == nil:
			w.report(p.at(one.name), Missing, one, nil, s.in(one.name))
		case !bytes.Equal(one.raw, other.raw):
			w.compare(p.at(one.name), one, other, s.in(one.name))
		}
	}
	for i := range b.inner {
		if one := &b.inner[i]; here[one.name] == nil {
			w.report(p.at(one.name), Extra, nil, one, s.in(one.name))
		}
	}
}

// maxDepth is the maximum depth of lists and objects: what PHP writes.
const maxDepth = 512

// idName is the member that items are matched by.
const idName = "id"

// node is a JSON value of a document.
type node struct {
	kind  jsontext.Kind // '[' for an object that is a list with gaps, as PHP writes it
	raw   []byte        // as it is written
	name  string        // of a member
	inner []node        // members or elements
	hash  uint64        // of the value by the rules; 0 where it is not known yet
}

// parse reads a document; nil if it is no JSON. Repeated names in an object are not read: clients
// would take one or the other.
func parse(body []byte) *node {
	s, n := jsonscan.Scanner{Src: body}, new(node)
	ok := n.read(&s)
	if s.End(); !ok || s.Err() != nil {
		return nil
	}
	return n
}

// read reads the next value. It returns false if parse is to read no further.
func (n *node) read(s *jsonscan.Scanner) bool {
	open := s.Peek()
	start, isObject := s.Pos, open == '{'
	if !isObject && open != '[' {
		s.Skip()
		n.raw = s.Src[start:s.Pos]
		n.kind = jsontext.Value(n.raw).Kind()
		return true
	}
	if s.Depth == maxDepth {
		return false
	}
	gaps := isObject
	for ok := s.Enter(open + 2); ok; ok = s.More(open + 2) {
		var inner node
		if isObject {
			inner.name = string(jsonscan.Unquote(s.Name()))
			gaps = gaps && jsonscan.IsIndex([]byte(inner.name))
		}
		if !inner.read(s) {
			return false
		}
		n.inner = append(n.inner, inner)
	}
	n.kind, n.raw = jsontext.Kind(open), s.Src[start:s.Pos]
	if gaps && len(n.inner) > 0 {
		n.kind = '['
	}
	return !isObject || len(n.members()) == len(n.inner)
}

// text returns a scalar: of a string its content, without quotes and escapes.
func (n *node) text() string {
	if n.kind == '"' {
		return string(jsonscan.Unquote(n.raw[1 : len(n.raw)-1]))
	}
	return string(n.raw)
}

func (n *node) isScalar() bool { return n.kind != '{' && n.kind != '[' }

// member returns a member of an object; nil if it has none of that name.
func (n *node) member(name string) *node {
	if n.kind == '{' {
		for i := range n.inner {
			if n.inner[i].name == name {
				return &n.inner[i]
			}
		}
	}
	return nil
}

// members returns all members of an object by their names.
func (n *node) members() map[string]*node {
	all := make(map[string]*node, len(n.inner))
	for i := range n.inner {
		all[n.inner[i].name] = &n.inner[i]
	}
	return all
}

// typeOf names a JSON type.
func typeOf(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "object"
	case '[':
		return "list"
	case 't', 'f':
		return "boolean"
	}
	return kind.String()
}

// seed makes the hashes unpredictable: no site can construct two documents that collide.
var seed = maphash.MakeSeed()

// same reports whether two values at a location are the same by the rules, or both are nil.
func (c *Comparer) same(a, b *node, p *location) bool {
	if a == nil || b == nil {
		return a == b
	}
	return c.hash(a, p) == c.hash(b, p)
}

// hash is the same for two values that are the same by the rules, and another for
// any two that are not, with a probability of collisions of 64 bits. Each value of a document is
// looked at once.
func (c *Comparer) hash(n *node, p *location) uint64 {
	switch {
	case n.hash != 0:
		return n.hash
	case n.isScalar():
		n.hash = maphash.String(seed, c.normal(n))
		return n.hash
	case len(n.inner) == 0 && p.is(empty):
		return 1
	}
	parts := make([]uint64, 0, len(n.inner))
	for i := range n.inner {
		one, step := &n.inner[i], elements
		if n.kind == '{' {
			step = one.name
		}
		if inside := p.at(step); !inside.is(ignored) {
			parts = append(parts, maphash.Comparable(seed, part{step, c.hash(one, inside)}))
		}
	}
	if n.kind == '{' || p.is(set) {
		slices.Sort(parts)
	}
	n.hash = maphash.String(seed, fmt.Sprint(n.kind, parts))
	return n.hash
}

// part is a member or an element.
type part struct {
	step string
	hash uint64
}

// normal is the one form of a scalar that all have that are the same by the rules.
// It begins with the type.
func (c *Comparer) normal(n *node) string {
	switch n.kind {
	case '0':
		return "0" + number(n.text())
	case '"':
		return `"` + c.withoutHosts(n.text())
	}
	return n.text()
}

// maxDigits is the length of numbers that a float64 distinguishes.
const maxDigits = 15

// number is one form for all spellings of a number. A long one has only its own.
func number(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || len(s) > maxDigits {
		return s
	}
	return strconv.FormatFloat(f+0, 'g', -1, 64) // no -0
}

// site replaces the scheme and host of a URL of the site.
const site = "\x00site"

// A URL of the web, and the characters of its host.
var (
	webHost  = regexp.MustCompile(`(?i)https?://` + hostForm)
	nextHost = regexp.MustCompile(`^` + hostForm)
)

const hostForm = `[-.:_\[\]0-9A-Za-z\x{80}-\x{10ffff}]*`

// withoutHosts replaces the hosts in a text by site.
func (c *Comparer) withoutHosts(s string) string {
	if len(c.names) == 0 {
		return s
	}
	if host := nextHost.FindString(s); slices.Contains(c.names, strings.ToLower(host)) {
		return site + s[len(host):]
	}
	return webHost.ReplaceAllStringFunc(s, func(url string) string {
		if _, host, _ := strings.Cut(url, "://"); slices.Contains(c.rules.Hosts, strings.ToLower(host)) {
			return site
		}
		return url
	})
}
