package rewrite

import (
	"bytes"
	"context"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// LegacyNames are the names of the legacy, in which clients that do not know the neutral
// namespace are served.
type LegacyNames struct {
	mapping.Backend // names its namespace, language parameter and machine names

	// Candidate reports that another backend than the legacy responds. Of its links only those
	// to the namespace get the legacy's names: others lead to a site that clients do not know.
	Candidate bool
}

// isOwn reports whether the legacy's own response is written in its names: what it sends stays, except
// for the place of its REST interface.
func (a *answer) isOwn() bool { return a.isLegacy && a.call.OldNames }

// moved returns s, the inside of a JSON string of the legacy whose slashes are plain, with links to its
// namespace at the public URLs of its roots.
func (a *answer) moved(class mapping.Class, s []byte) link {
	switch class {
	case mapping.Taxonomy:
		return link{tail: s}
	case mapping.Message:
		return link{tail: a.movedText(s)}
	}
	root, tail, ok := a.place(bytes.ReplaceAll(s, blank, noBlank), true)
	if !ok {
		return link{tail: s}
	}
	return a.linkTo(root, bytes.ReplaceAll(tail, noBlank, blank))
}

// movedText returns a text of the legacy with the links of its namespace at the public URLs.
func (a *answer) movedText(s []byte) []byte {
	if !bytes.Contains(s, a.namespace) {
		return s
	}
	return replaceURLs(s, func(url []byte) (link, bool) { return a.public(url, false) })
}

// A list's link to itself has plain blanks (recording events/en/list-default), which end other
// links. No JSON string has the byte that stands for them.
var blank, noBlank = []byte(" "), []byte{0}

// Describe returns a description that the legacy has of its own interface, such as its index,
// with the links of its namespace at the public URLs. root is the index of the root that
// answered.
func (r *Rewriter) Describe(ctx context.Context, root int, description []byte) ([]byte, error) {
	call := mapping.Call{Endpoint: &mapping.Endpoint{}, OldNames: true}
	w := walker{Scanner: jsonscan.NewScanner(description), ctx: ctx, answer: r.answer(&call, root)}
	return w.pass(&texts)
}
