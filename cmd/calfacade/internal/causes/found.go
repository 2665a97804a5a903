package causes

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping/compare"
)

// The maximum number of responses and repeated members that are listed.
const (
	maxOwn      = 3 // responses of the endpoints of the resource
	maxViews    = maxOwn + 3
	maxRepeated = 12
)

// found is a listed finding.
type found struct {
	Finding
	last string // the call of the last response
	own  int    // views of the endpoints of the resource
}

// add adds a response that shows the finding.
func (f *found) add(s *assigned) {
	if s.member != "" {
		f.repeat(s)
	}
	if s.Path == f.Member+idSuffix || strings.HasSuffix(s.Path, "."+f.Member+idSuffix) {
		f.Kind, f.Want, f.Got = s.Kind, s.Want, s.Got // another item in its place
	}
	if s.Call == f.last {
		return
	}
	f.last = s.Call
	f.Responses++
	own := strings.HasPrefix(s.Endpoint, f.Resource+".")
	if own && f.own == maxOwn || !own && len(f.Views)-f.own == maxViews-maxOwn {
		return
	}
	view := View{Endpoint: s.Endpoint, Call: compare.WithoutSecrets(s.Call), Path: s.Path, Legacy: s.Legacy, Candidate: s.Candidate}
	if !own {
		f.Views = append(f.Views, view)
		return
	}
	f.Views = slices.Insert(f.Views, f.own, view)
	f.own++
}

// idSuffix ends the path of the id of an object.
const idSuffix = ".id"

func (f *found) repeat(s *assigned) {
	if len(f.Repeated) < maxRepeated && !slices.ContainsFunc(f.Repeated, func(r Repeated) bool { return r.Member == s.member }) {
		f.Repeated = append(f.Repeated, Repeated{s.member, s.Want, s.Got})
	}
}
