package causes

import "github.com/calfacade/calfacade/mapping"

// Locate sets the URLs at calfacade. of returns that of a call in a language; "" where calfacade has
// none.
func (r *Result) Locate(of func(language, call string) string) {
	for i := range r.Findings {
		f := &r.Findings[i]
		for j := range f.Views {
			f.Views[j].URL = of(f.Language, f.Views[j].Call)
		}
		if f.URL = of(f.Language, callOf(f.Resource, f.ID)); f.ID == "" && len(f.Views) > 0 {
			f.URL = f.Views[0].URL
		}
	}
}

// callOf returns the call that reads an item by its id.
func callOf(resource, id string) string {
	if _, ok := mapping.ParseID(id); !ok {
		return "/" + resource
	}
	return "/" + resource + "/" + id
}
