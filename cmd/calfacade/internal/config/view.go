package config

import "go.yaml.in/yaml/v3"

// Effective returns the configuration as YAML, for the status page: every key, with ***
// in place of secrets.
func Effective(c Config) string {
	text, err := yaml.Marshal(c)
	if err != nil {
		panic("BUG: the configuration is not YAML: " + err.Error())
	}
	return string(text)
}
