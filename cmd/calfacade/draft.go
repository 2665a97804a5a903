package main

import (
	"slices"
	"strings"
	"text/template"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// draft is a configuration as init writes it.
type draft struct {
	Site, PublicURL     string
	Languages           i18n.Languages // Select is "" for the default
	Dialect             string         // "" for the default
	Headers             []string       // without secrets
	Param, WordPressURL string
	Cookies             []string // all of cache.ignore_cookies; nil for the default
	Notes               []string
}

// newDraft returns the configuration for the settings that the pages of a site show.
func newDraft(site, publicURL string, d probe.Discovered) *draft {
	draft := &draft{Site: upstream.BareURL(site), PublicURL: publicURL, Languages: d.Roots, Notes: d.Notes}
	for _, setting := range d.Settings {
		draft.set(&draft.Languages[0], setting)
	}
	return draft
}

// withSettings returns the draft with the settings that select the language, and those that settle notes.
func (d *draft) withSettings(roots []probe.Finding) *draft {
	draft := *d
	draft.Languages = slices.Clone(d.Languages)
	for i, f := range roots {
		for _, setting := range f.Settings {
			draft.set(&draft.Languages[i], setting)
		}
		if f.Works == nil {
			continue
		}
		draft.Languages[i].Upstream = f.Works.Upstream
		if f.Works.Select != i18n.ByBoth {
			draft.Languages[i].Select = f.Works.Select
		}
		if f.Works.LanguageParam != config.Default().Upstream.LanguageParam {
			draft.Param = f.Works.LanguageParam
		}
	}
	return &draft
}

// set adds a setting that a finding about a language asks for.
func (d *draft) set(l *i18n.Language, setting probe.Setting) {
	switch setting.Key {
	case "cache.ignore_cookies":
		if d.Cookies == nil {
			d.Cookies = config.Default().Cache.IgnoreCookies
		}
		if !slices.Contains(d.Cookies, setting.Value) {
			d.Cookies = append(slices.Clip(d.Cookies), setting.Value)
		}
	case "languages[].site_aliases":
		aliases := slices.Concat(d.Languages[0].Aliases, l.Aliases) // the first language's apply to all below the same site
		if !slices.ContainsFunc(aliases, func(alias string) bool { return strings.HasPrefix(setting.Value, alias) }) {
			l.Aliases = append(slices.Clip(l.Aliases), setting.Value)
		}
	case "upstream.wordpress_url":
		d.WordPressURL = setting.Value
	case "upstream.dialect":
		d.Dialect = setting.Value
	case "upstream.headers":
		if !slices.Contains(d.Headers, setting.Value) {
			d.Headers = append(slices.Clip(d.Headers), setting.Value)
		}
	}
}

// String returns the file.
func (d *draft) String() string {
	var text strings.Builder
	if err := draftTemplate.Execute(&text, d); err != nil {
		panic("BUG: " + err.Error())
	}
	return text.String()
}

// escaping keeps notes, which quote the site, from ending a comment and going on with a key.
var escaping = template.FuncMap{"escape": terminal.Escape}

var draftTemplate = template.Must(template.New("").Funcs(escaping).Parse(`# The configuration of calfacade for {{.Site}},
# made by "calfacade init". It has what differs from the defaults; docs/configuration.md has every key.

# The URL of the facade in all links: set it to the name that clients use.
public_url: {{printf "%q" .PublicURL}}

languages: # the first is the default language
{{- range .Languages}}
  - {code: {{.Code}}, root: {{printf "%q" .Root}}, upstream: {{printf "%q" .Upstream -}}
  {{with .Select}}, select: {{.}}{{end}}
  {{- with .Aliases}}, site_aliases: [{{range $i, $_ := .}}{{if $i}}, {{end}}{{printf "%q" .}}{{end}}]{{end}}}
{{- end}}
{{if or .Dialect .Headers .Param .WordPressURL}}
upstream:
{{- with .Dialect}}
  dialect: {{.}}
{{- end}}
{{- with .Headers}}
  headers: [{{range $i, $_ := .}}{{if $i}}, {{end}}{{printf "%q" .}}{{end}}]
{{- end}}
{{- with .Param}}
  language_param: {{printf "%q" .}}
{{- end}}
{{- with .WordPressURL}}
  wordpress_url: {{printf "%q" .}}
{{- end}}
{{end}}
{{- with .Cookies}}
# The default, and cookies that the site sets for anonymous clients. Remove one on which its responses depend.
cache:
  ignore_cookies: [{{range $i, $_ := .}}{{if $i}}, {{end}}{{printf "%q" .}}{{end}}]
{{end}}
# The site gets 16 calls at a time: PHP-FPM has 5 to 20 workers, which visitors of the pages need too (upstream.max_concurrent).
# A Redis keeps responses over a restart, and is shared by several instances (cache.redis).
{{range .Notes}}
# {{escape .}}
{{- end}}
`))
