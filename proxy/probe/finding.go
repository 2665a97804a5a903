package probe

import (
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Finding describes the REST root of one language of a backend.
type Finding struct {
	Backend   string   `json:"backend"` // [upstream.LegacyName], or a configured one
	Language  string   `json:"language"`
	Upstream  string   `json:"upstream"`
	Reachable bool     `json:"reachable"`
	Redirects string   `json:"redirects"` // target of a redirect; "" for none
	Namespace bool     `json:"namespace"` // the root lists the namespace
	Plugin    bool     `json:"plugin"`    // the namespace responds with a list
	Zone      string   `json:"zone"`      // time zone of the site
	Auth      []string `json:"auth"`      // methods of authentication that the root lists
	Problems  []string `json:"problems"`
	Notes     []string `json:"notes"` // unusual but supported

	// Settings are the settings that settle notes.
	Settings []Setting `json:"-"`

	// Document is the site's description of its API; null if the dialect knows of none.
	Document *mapping.DescriptionChange `json:"document"`

	// Works selects the language; null if nothing that was tried does, for other backends than the legacy,
	// and with one language.
	Works *Selection `json:"works"`
}

// OK reports whether the proxy can serve this language.
func (f Finding) OK() bool { return len(f.Problems) == 0 }

// Name returns the name of the root in metrics and logs.
func (f Finding) Name() string { return upstream.RootName(f.Backend, f.Language) }

// Setting is a value for a key of the configuration. The key of a list gets one more item.
type Setting struct{ Key, Value string }

// Selection is a configuration that selects a language of the site.
type Selection struct {
	Root          string      `json:"root"` // of the proxy
	Upstream      string      `json:"upstream"`
	Select        i18n.Select `json:"select"`
	LanguageParam string      `json:"language_param"` // "" for none
	Configured    bool        `json:"configured"`     // it is in effect
}
