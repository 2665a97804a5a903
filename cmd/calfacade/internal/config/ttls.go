package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// TTLs are durations by the collections of the table.
type TTLs map[string]time.Duration

// UnmarshalYAML sets the keys that are present, and keeps the others.
func (t TTLs) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return typeError(n, "expected a mapping such as {"+slices.Sorted(maps.Keys(t))[0]+": 60s}")
	}
	var problems []string
	lines := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		problem := func(text string) { problems = append(problems, fmt.Sprintf("line %d: %s", key.Line, text)) }
		if first := lines[key.Value]; first > 0 {
			problem(fmt.Sprintf("a key is already defined at line %d", first))
			continue
		}
		lines[key.Value] = key.Line
		if _, known := t[key.Value]; !known {
			problem("unknown key")
			continue
		}
		var d time.Duration
		if err := value.Decode(&d); err != nil {
			if te, ok := errors.AsType[*yaml.TypeError](err); ok {
				problems = append(problems, te.Errors...)
				continue
			}
			return err
		}
		t[key.Value] = d
	}
	if len(problems) > 0 {
		return &yaml.TypeError{Errors: problems}
	}
	return nil
}
