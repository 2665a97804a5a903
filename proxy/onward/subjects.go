package onward

import (
	"strings"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// Site is what purges are about.
type Site struct {
	PublicURL string // base of the URLs, without a slash at its end
	Languages i18n.Site
}

// subject is a part of what a purge is about, in one language.
type subject struct {
	Scope    mapping.Scope `json:"scope"`
	Type     string        `json:"type"`
	ID       string        `json:"id,omitempty"`
	Language string        `json:"language"`
	URL      string        `json:"url,omitempty"` // of the item or the list
}

// about returns what tags stand for.
func (s Site) about(tags []string) []subject {
	spaces := mapping.NewTagSpaces(len(s.Languages), s.Languages.Together)
	all := []subject{}
	for _, tag := range tags {
		found, ok := spaces.Subject(tag)
		if !ok {
			continue // of an instance with other languages
		}
		for _, code := range found.Roots {
			all = append(all, subject{found.Scope, mapping.Singular(found.Resource), found.ID, code, s.url(code, found)})
		}
	}
	return all
}

// lists returns all lists.
func (s Site) lists() []subject {
	var tags []string
	for _, l := range s.Languages {
		for _, r := range mapping.Resources() {
			tags = append(tags, l.Code+":"+r)
		}
	}
	return s.about(tags)
}

// url returns the URL of an item or of a list without parameters; "" for another scope.
func (s Site) url(code string, of mapping.Subject) string {
	action := mapping.Read
	switch of.Scope {
	case mapping.ListsOfLanguage:
		action = mapping.List
	case mapping.OneItem:
	default:
		return ""
	}
	for i := range mapping.Table {
		e := &mapping.Table[i]
		if e.Resource == of.Resource && e.Action == action && !e.BySlug() {
			path := strings.ReplaceAll(e.Path, "{"+mapping.IDParam.Name+"}", of.ID)
			return s.PublicURL + s.root(code) + "/" + mapping.Namespace + path
		}
	}
	return ""
}

func (s Site) root(code string) string {
	for _, l := range s.Languages {
		if l.Code == code {
			return l.Root
		}
	}
	return ""
}
