package config

import (
	"fmt"
	"os"
	"strings"

	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Load parses the content of a file. An empty file is valid by itself: the environment
// may set everything.
func Load(file string, env []string) (Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Config{}, fmt.Errorf("reading the configuration: %w", err)
	}
	return Parse(file, data, env)
}

// Parse decodes data, a YAML document, over the defaults, overrides the result by the
// CALFACADE_ variables of env (as of os.Environ), reads the files of secrets and of
// ids, and validates the outcome. name is the name of the document in errors. Each of
// the five steps reports all its errors together. A step does not run after errors of
// the step before, so that it reports no consequences of these.
func Parse(name string, data []byte, env []string) (Config, error) {
	cfg := Default()
	if err := decodeYAML(name, data, &cfg); err != nil {
		return Config{}, err
	}
	if err := overlayEnv(&cfg, env); err != nil {
		return Config{}, err
	}
	if err := checkProxies(env); err != nil {
		return Config{}, err
	}
	cfg.readDigests()
	if err := cfg.readSecretFiles(); err != nil {
		return Config{}, err
	}
	if err := cfg.readIDs(); err != nil {
		return Config{}, err
	}
	cfg.normalize()
	if cfg.PublicURL == "" && len(cfg.Languages) == 0 {
		return Config{}, fmt.Errorf("%s is not filled in: set public_url, the URL of this API, and languages, "+
			"a REST root of the site for each; all other keys have defaults", name)
	}
	if err := cfg.Validate(); err != nil {
		return Config{}, err
	}
	return cfg, nil
}

// normalize sets the defaults of the elements of lists, and removes the trailing slashes
// of URLs, so that paths can be appended.
func (c *Config) normalize() {
	trim := func(url *string) { *url = strings.TrimRight(*url, "/") }
	trim(&c.PublicURL)
	c.PublicURL = siteurl.ASCIIHost(c.PublicURL) // for header fields
	trim(&c.Rewrite.Site)
	trim(&c.Upstream.WordPressURL)
	for i := range c.Upstream.SiteAliases {
		trim(&c.Upstream.SiteAliases[i])
	}
	for i := range c.Backends {
		b := &c.Backends[i]
		for code, url := range b.Upstreams {
			b.Upstreams[code] = siteurl.Root(url)
		}
		for j := range b.SiteAliases {
			trim(&b.SiteAliases[j])
		}
	}
	for i := range c.Languages {
		l := &c.Languages[i]
		l.Upstream = siteurl.Root(l.Upstream)
		for j := range l.SiteAliases {
			trim(&l.SiteAliases[j])
		}
		l.setDefaults()
	}
}
