package mapping

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// relations keeps of _links the targets inside the namespace. Relations with
// none left go, and so do the others' abbreviations (curies).
func (w *walker) relations() error {
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	inner := newDecoder(raw)
	kept := []string{}
	if _, err := inner.ReadToken(); err != nil {
		return err
	}
	for inner.PeekKind() == '"' {
		name, err := inner.ReadValue()
		if err != nil {
			return err
		}
		key := string(name)
		targets, err := inner.ReadValue()
		if err != nil {
			return err
		}
		if list := w.targets(targets); list != "" {
			kept = append(kept, key+":"+list)
		}
	}
	w.splice(len(raw), "{"+strings.Join(kept, ",")+"}")
	return nil
}

func (w *walker) targets(raw jsontext.Value) string {
	d := newDecoder(raw)
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '[' {
		return ""
	}
	var kept []string
	for d.PeekKind() == '{' {
		target, err := d.ReadValue()
		if err != nil {
			return ""
		}
		target = target.Clone()
		href, ok := member(target, "href")
		if !ok || href.Kind() != '"' {
			continue
		}
		old := strings.ReplaceAll(string(href[1:len(href)-1]), `\/`, `/`)
		link, ok := w.rewriter.neutral(old, w.root)
		if !ok {
			continue
		}
		if bytes.Contains(href, []byte(`\/`)) {
			link = strings.ReplaceAll(link, `/`, `\/`)
		}
		kept = append(kept, strings.Replace(string(target), string(href), `"`+link+`"`, 1))
	}
	if len(kept) == 0 {
		return ""
	}
	return "[" + strings.Join(kept, ",") + "]"
}
