package mapping

import "net/http"

// Dialect is how one kind of backend speaks. It is data, and the few functions
// for what data cannot say.
type Dialect struct {
	Namespace     string      // below the REST root, without slashes at its ends; it names the dialect
	LanguageParam string      // what names the language, unless a site calls it otherwise
	Header        http.Header // sent with every request; nil for nothing
	Total         string      // the header field that counts a list's items
	TotalPages    string      // and the one that counts its pages
	Vendor        string      // begins machine names, post types and taxonomies; "" for neutral ones
	Holes         bool        // has what the legacy does wrong: see Lookup and Param.Lifted
}

// Dialects are all there are, by the name of their namespace.
var Dialects = []*Dialect{Neutral, Tribe}

// DialectOf gives the dialect of a namespace; nil for none.
func DialectOf(name string) *Dialect {
	for _, d := range Dialects {
		if d.Namespace == name {
			return d
		}
	}
	return nil
}

// Backend says how one backend speaks: its dialect, and where this site departs
// from that.
type Backend struct {
	Dialect       *Dialect
	Namespace     string // "" is the dialect's
	LanguageParam string // "" for a site that has none
	IDs           *IDs   // nil for a backend that has the legacy's
}

// Place is the namespace below the REST root where the backend has its interface.
func (b Backend) Place() string {
	if b.Namespace != "" {
		return b.Namespace
	}
	return b.Dialect.Namespace
}

// Reply is what a backend answered.
type Reply struct {
	Status int
	Header http.Header // not to be changed
	Body   []byte
}

// Convert gives a backend's answer to c the shape that the table names, which
// [Rewriter.Rewrite] reads. The error says why the answer cannot be read.
func (b Backend) Convert(_ *Call, got Reply) (Reply, error) { return got, nil }
