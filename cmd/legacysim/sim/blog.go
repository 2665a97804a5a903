package sim

import (
	"slices"
)

// blog is all content of one WordPress. Where the languages are sites apart, posts and
// terms share nothing with the other languages, not even ids.
type blog struct {
	lang     *language // of added items
	posts    map[int]*post
	byID     []*post // the same, in order; none ever leaves
	terms    map[int]*term
	lastPost int
	lastTerm int
	planted  map[plantedAt][]Plant // what shows in answers only

	translations map[inGroup]int // ids
}

// plantedAt is where in answers a plant shows: in an item, or with the id 0 in a
// list.
type plantedAt struct {
	resource string
	id       int
}

func newBlog(lang *language) *blog {
	return &blog{
		lang: lang, posts: map[int]*post{}, terms: map[int]*term{}, lastPost: lang.firstPost, lastTerm: lang.firstTerm,
		translations: map[inGroup]int{}, planted: map[plantedAt][]Plant{},
	}
}

// addPost adds the post with the next id.
func (b *blog) addPost(p *post) *post {
	b.lastPost++
	p.id, p.lang = b.lastPost, b.lang
	return b.put(p)
}

// put adds a post that has an id.
func (b *blog) put(p *post) *post {
	b.posts[p.id] = p
	at, _ := slices.BinarySearchFunc(b.byID, p.id, func(p *post, id int) int { return p.id - id })
	b.byID = slices.Insert(b.byID, at, p)
	return p
}

func (b *blog) addTerm(t *term) *term {
	b.lastTerm++
	t.id, t.lang = b.lastTerm, b.lang
	b.terms[t.id] = t
	return t
}

// post returns the post of that id, or nil. What was planted as missing is not there.
func (b *blog) post(id int) *post {
	if p := b.posts[id]; p != nil && !p.gone {
		return p
	}
	return nil
}

// find returns the post of that kind and id, or nil.
func (b *blog) find(k kind, id int) *post {
	if p := b.post(id); p != nil && p.kind == k {
		return p
	}
	return nil
}

// all returns the posts of a kind that pass, by id.
func (b *blog) all(k kind, pass func(*post) bool) []*post {
	var out []*post
	for _, p := range b.byID {
		if p.kind == k && !p.gone && !p.series && pass(p) {
			out = append(out, p)
		}
	}
	return out
}
