package config

import "go.yaml.in/yaml/v3"

// InForce is the configuration as the status page shows it: every key, and ***
// in the place of secrets.
func InForce(c Config) string {
	text, err := yaml.Marshal(c)
	if err != nil {
		panic("BUG: the configuration is not YAML: " + err.Error())
	}
	return string(text)
}
