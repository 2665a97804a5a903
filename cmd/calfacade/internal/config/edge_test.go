package config

import (
	"strings"
	"testing"
)

// TestEdgeDefault: without the section caches in front get nothing that they did not get before.
func TestEdgeDefault(t *testing.T) {
	if o := Default().Edge; o.Active() {
		t.Errorf("by default %+v", o)
	}
	for _, section := range []string{"{tags: xkey}", "{lifetime: x-accel-expires}", "{s_maxage: 1h}"} {
		c, err := Parse("c.yaml", []byte(readFile(t, minimalFile)+"\nedge: "+section+"\n"), nil)
		if err != nil || !c.Edge.Active() {
			t.Errorf("%s: %+v %v", section, c.Edge, err)
		}
	}
}

func TestEdgeFaults(t *testing.T) {
	const section = `
edge: {tags: xkeys, prefix: "a.b", lifetime: age, max_age: -1s, s_maxage: -1s}
`
	_, err := Parse("c.yaml", []byte(readFile(t, minimalFile)+section), nil)
	want := []string{
		`edge.tags: "xkeys" is not one of none, surrogate-key, cache-tag, xkey`,
		`edge.lifetime: "age" is not one of cache-control, cdn-cache-control, surrogate-control, x-accel-expires`,
		`edge.prefix: "a.b" is not made of at most 16 letters, digits, - and _`,
		"edge.max_age: must not be negative, but is -1s",
		"edge.s_maxage: must not be negative, but is -1s",
	}
	for _, problem := range want {
		if err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("got %v, want %s", err, problem)
		}
	}
}
