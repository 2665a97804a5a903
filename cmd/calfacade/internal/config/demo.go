package config

import "github.com/calfacade/calfacade/i18n"

// Demo returns the configuration of a facade at the URL public, in front of a stand-in in all languages at the URL legacy.
func Demo(public, legacy string) Config {
	c := Default()
	c.PublicURL = public
	c.AdminListen = ""
	c.Log.Format = "console"
	for i, code := range i18n.Codes {
		root := "/wp-json"
		if i > 0 {
			root = "/" + code + root
		}
		c.Languages = append(c.Languages, i18n.Language{Code: code, Root: root, Upstream: legacy + root, Select: i18n.ByBoth})
	}
	return c
}
