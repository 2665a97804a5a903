package config

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

// AdminListener returns [Config.AdminListen] from a YAML document and an environment. It
// ignores errors in other keys.
func AdminListener(data []byte, env []string) (string, error) {
	partial := struct {
		AdminListen string `yaml:"admin_listen"`
	}{Default().AdminListen}
	if err := yaml.Unmarshal(data, &partial); err != nil {
		return "", joinProblems("reading the configuration", problemsOf(err))
	}
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, variable("admin_listen")+"="); ok {
			partial.AdminListen = strings.TrimPrefix(value, emptyValue)
		}
	}
	var f faults
	if partial.AdminListen != "" {
		f.address("admin_listen", partial.AdminListen)
	}
	return partial.AdminListen, errors.Join(f...)
}
