package compare

import "hash/maphash"

// walker goes through two documents at once.
type walker struct {
	documents
	resource string // of the documents; "" if the table does not determine it
	found    []found
	known    []found // one of each kind
}

// scope is the position of the walker: the item, and the exact path.
type scope struct {
	item  string
	at    uint64
	both  [2]int // the innermost item of a list in both documents; without one the documents
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
