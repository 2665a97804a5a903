package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Where names the call of two documents.
type Where struct {
	Endpoint string // such as "events.list"
	Language string
	Call     string // for people: path and query; secrets in it are hidden
}

// Findings count differences, and store some examples of each kind. They are safe
// for concurrent use; the zero value is empty and good. Memory is bounded.
type Findings struct {
	mu       sync.Mutex
	counts   map[cell]*Count
	known    map[string]*KnownCount
	groups   map[groupKey]*Group
	overflow int64
}

// The maximum numbers of examples of a group, and of groups.
const (
	maxExamples = 5
	maxGroups   = 500
)

type cell struct{ endpoint, language string }

type groupKey struct {
	cell
	path string
	kind Kind
}

// Count counts the comparisons of one endpoint in one language.
type Count struct {
	Endpoint  string `json:"endpoint"`
	Language  string `json:"language"`
	Documents int64  `json:"documents"` // that were compared
	Differing int64  `json:"differing"` // of these
	Noise     int64  `json:"noise"`     // differences that the reference has from itself, see [Comparer.Real]
}

// Group is all that differs in the same way at the same path.
type Group struct {
	Endpoint  string    `json:"endpoint"`
	Language  string    `json:"language"`
	Path      string    `json:"path"`
	Kind      Kind      `json:"kind"`
	Count     int64     `json:"count"`     // differences
	Documents int64     `json:"documents"` // in which they were
	Examples  []Example `json:"examples"`  // the first of each of the first documents
}

// Example is one difference of a group.
type Example struct {
	Call string `json:"call"`
	Item string `json:"item,omitempty"`
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// KnownCount is how often a [Known] difference was found.
type KnownCount struct {
	Name      string `json:"name"`
	Count     int64  `json:"count"`     // differences
	Documents int64  `json:"documents"` // in which they were
}

// Report holds the differences that were found so far.
type Report struct {
	Counts   []Count `json:"counts"`   // by endpoint and language
	Groups   []Group `json:"groups"`   // the most frequent first
	Overflow int64   `json:"overflow"` // differences of groups that there was no room for

	Known []KnownCount `json:"known,omitempty"` // differences that are in no group, by name
}

// Add counts a document that was compared: its differences, if it has any, and how many of these are
// not due to the candidate. A document all of whose differences are known ones does not differ.
func (f *Findings) Add(where Where, differences []Difference, noise int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts == nil {
		f.counts, f.known, f.groups = map[cell]*Count{}, map[string]*KnownCount{}, map[groupKey]*Group{}
	}
	at := cell{where.Endpoint, where.Language}
	if c := entry(f.counts, at, Count{Endpoint: at.endpoint, Language: at.language}); c != nil {
		c.Documents++
		c.Noise += int64(noise)
		if len(Unknown(differences)) > 0 {
			c.Differing++
		}
	}
	met := map[*Group]bool{}
	for i := range differences {
		d := &differences[i]
		if d.Known != "" {
			if k := entry(f.known, d.Known, KnownCount{Name: d.Known}); k != nil {
				k.Count += int64(d.Times)
				k.Documents++
			}
			continue
		}
		g := entry(f.groups, groupKey{at, d.Path, d.Kind}, Group{Endpoint: at.endpoint, Language: at.language, Path: d.Path, Kind: d.Kind})
		if g == nil {
			f.overflow++
			continue
		}
		g.Count++
		if met[g] {
			continue
		}
		met[g] = true
		g.Documents++
		if len(g.Examples) < maxExamples {
			g.Examples = append(g.Examples, Example{Call: shown(where.Call), Item: d.Item, Want: d.Want, Got: d.Got})
		}
	}
}

// entry returns the value of a key. It adds an empty one if there is room; otherwise it returns nil.
func entry[K comparable, V any](all map[K]*V, key K, empty V) *V {
	v := all[key]
	if v == nil && len(all) < maxGroups {
		v = &empty
		all[key] = v
	}
	return v
}

// Snapshot returns the differences that were found so far, in an order that depends on nothing else.
func (f *Findings) Snapshot() Report {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := Report{Counts: make([]Count, 0, len(f.counts)), Groups: make([]Group, 0, len(f.groups)), Overflow: f.overflow}
	for _, c := range f.counts {
		r.Counts = append(r.Counts, *c)
	}
	for _, g := range f.groups {
		copied := *g
		copied.Examples = slices.Clone(g.Examples)
		r.Groups = append(r.Groups, copied)
	}
	for _, name := range slices.Sorted(maps.Keys(f.known)) {
		r.Known = append(r.Known, *f.known[name])
	}
	slices.SortFunc(r.Counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Language, b.Language))
	})
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Language, b.Language),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	return r
}

// owner is the innermost item of the table that the walker is in.
type owner struct {
	at       *location // nil outside of items
	resource string
	id       string

	// Where the candidate has another item in the place of one in this item: the path of that place,
	// and a hash of both ids.
	place, other string
}

// inside returns the owner of the members of two objects at a location.
func (o owner) inside(c *Comparer, p *location, a, b *node) owner {
	if p.resource == "" || o.other != "" {
		return o
	}
	id, there, at := a.member(idName), b.member(idName), p.at(idName)
	if id != nil && there != nil && o.at != nil && !c.same(id, there, at) {
		o.place, o.other = p.below(o.at), c.values(at, Value, id, there)
		return o
	}
	inner := owner{at: p, resource: p.resource}
	if id != nil {
		inner.id = show(id, at)
	}
	return inner
}

// cause returns the cause of a difference of the values a and b at a location.
func (w *walker) cause(p *location, kind Kind, a, b *node, o owner) Cause {
	switch {
	case o.at == nil:
		return Cause{Resource: w.resource, Member: p.String(), Values: w.rules.values(p, kind, a, b)}
	case o.other != "":
		return Cause{o.resource, o.id, o.place, o.other}
	}
	return Cause{o.resource, o.id, p.below(o.at), w.rules.values(p, kind, a, b)}
}

// causeOfItem returns the cause of an item that one list alone has: of a list of the table the
// item itself, else the item that has the list.
func causeOfItem(resource string, inside *location, kind Kind, item string, o owner) Cause {
	switch {
	case o.at != nil:
		return Cause{o.resource, o.id, inside.below(o.at), digest(string(kind), item)}
	case inside.resource != "":
		return Cause{Resource: inside.resource, ID: item, Values: digest(string(kind))}
	}
	return Cause{Resource: resource, Member: inside.String(), Values: digest(string(kind), item)}
}

// MissingItem returns the cause of an item that the candidate's list lacks.
func MissingItem(resource, id string) Cause {
	return Cause{Resource: resource, ID: id, Values: digest(string(Missing))}
}

// values returns a hash of a kind of difference and both values, which is the same in every run. What
// is not shown is no part of it: values that differ only in that have the same hash.
func (c *Comparer) values(p *location, kind Kind, a, b *node) string {
	hashed := func(n *node) string {
		switch {
		case n == nil:
			return ""
		case n.isScalar() && !p.is(masked):
			return withoutSecrets(c.normal(n))
		}
		return show(n, p)
	}
	return digest(string(kind), hashed(a), hashed(b))
}

// causeOfStatus returns the cause of a difference of the statuses. The code of an error may
// depend on the way in which an item is read.
func causeOfStatus(want, got Document) Cause {
	failed := func(d Document) string { return strconv.FormatBool(d.Status >= http.StatusBadRequest) }
	return Cause{Values: digest(string(Status), failed(want), failed(got))}
}

// digest returns a short hash of texts, which is the same in every run.
func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		_, _ = fmt.Fprintf(h, "%d %s,", len(text), text) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// MaxShown is how many bytes of a value are shown.
const MaxShown = 200

// hidden stands for a value that is not shown.
const hidden = "(hidden)"

// secretName matches the names of parameters and members that hold a secret. They include the
// secrets of the table; most are in links that lead elsewhere.
var secretName = regexp.MustCompile(`(?i)^` + secretWord + `$`)

// #nosec G101 -- names of secrets, and none
const secretWord = `(?:[\w-]*(?:passw|passphrase|pwd|token|nonce|secret|credential|api[_-]?key|private[_-]?key|access[_-]?key)[\w-]*|pass|key|auth|authorization|cookie|sig|signature|session|sid|code_verifier)`

var (
	// secretParam matches a parameter in a URL, also in HTML, where it follows a semicolon.
	secretParam = regexp.MustCompile(`(?i)((?:^|[?&;#\s])` + secretWord + `(?:\[[^\]=]*\]|%5B[^=&]*)?=)[^&#\s"'<>]*`)
	// userInfo matches the credentials before the host of a URL.
	userInfo = regexp.MustCompile(`://[^/?#@\s"'<>]*@`)
)

// maxSearched is how much of a value is searched for secrets, so that what they are
// replaced by leaves enough to be shown.
const maxSearched = 8 * MaxShown

// shown is a text for people: short, and without secrets.
func shown(s string) string { return shorten(withoutSecrets(shorten(s, maxSearched)), MaxShown) }

// context is the length of the text that two values have in common that is shown in front of
// their first difference, in bytes.
const context = MaxShown / 4

// around shows two texts that differ. Long ones begin shortly before their first difference. What
// is hidden is hidden before anything is cut: what a secret is called may be further up.
func around(want, got string) (string, string) {
	want, got = withoutSecrets(want), withoutSecrets(got)
	if len(want) <= MaxShown && len(got) <= MaxShown {
		return want, got
	}
	common := 0
	for common < min(len(want), len(got)) && want[common] == got[common] {
		common++
	}
	start := common - context
	for start > 0 && !utf8.RuneStart(want[start]) {
		start--
	}
	if start <= 0 || want == got {
		return shorten(want, MaxShown), shorten(got, MaxShown)
	}
	if i := strings.IndexAny(want[start:common], " ,"); i >= 0 { // not in the middle of a word
		start += i + 1
	}
	return shorten(ellipsis+want[start:], MaxShown), shorten(ellipsis+got[start:], MaxShown)
}

// WithoutSecrets returns a text, such as a URL, without secrets in it.
func WithoutSecrets(s string) string { return withoutSecrets(s) }

func withoutSecrets(s string) string {
	if strings.Contains(s, "=") {
		s = secretParam.ReplaceAllString(s, "${1}"+hidden)
	}
	if strings.Contains(s, "@") {
		s = userInfo.ReplaceAllString(s, "://"+hidden+"@")
	}
	return s
}

// ellipsis ends what was cut.
const ellipsis = "…"

// shorten cuts a text between two characters.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len(ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}

// show returns a value for people, without the content of objects and lists.
func show(n *node, p *location) string {
	switch {
	case !n.isScalar():
		return fmt.Sprintf("%s of %d", typeOf(n.kind), len(n.inner))
	case p.is(masked):
		return hidden
	}
	return shown(n.text())
}

// typed is a value with its type, where that matters.
func typed(n *node, p *location) string {
	if n.kind == '"' || n.kind == '0' {
		return shown(typeOf(n.kind) + " " + show(n, p))
	}
	return show(n, p)
}
