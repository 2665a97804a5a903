package compare

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

	Cause Cause `json:"cause,omitzero"`
	// Known is the name of the [Known] difference that it is one of; "" for none. Times is how many
	// of these the document has: it is the first.
	Known string `json:"known,omitempty"`
	Times int    `json:"times,omitempty"`
}

// MaxDifferences is how many differences of one document are reported, beside the known ones.
// It is for documents that have nothing in common, which one look shows.
const MaxDifferences = 1000

// found is a difference and its exact path, which has ids of items.
type found struct {
	Difference
	at uint64
}

func differences(all []found) []Difference {
	var out []Difference
	for i := range all {
		out = append(out, all[i].Difference)
	}
	return out
}

// Cause names the subject of a difference, wherever it shows. A name that differs has one cause in the
// list of venues, in the venue, and in each event at the venue.
type Cause struct {
	Resource string `json:"resource,omitempty"` // of the item or list, such as "venues"; "" if only the call determines it
	ID       string `json:"id,omitempty"`       // of the item; "" for a list, and if only the call determines it
	Member   string `json:"member,omitempty"`   // path in the item, such as "image.url"; "" for the whole item
	Values   string `json:"values,omitempty"`   // hash of the way in which the two differ
}
