package mapping

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// IDs map the ids of a backend to the ids of the legacy, where the two differ. Clients continue to use the
// legacy's ids: calls are translated to the backend's ids, and responses back. IDs are read-only; the zero
// value maps nothing.
//
// An id that is not in the map is the same on both sides. So a map must be complete: for a mapped and an
// unmapped item with the same id, the backend would be asked for the same item.
type IDs struct {
	backend map[Item]string // by the legacy's id
	legacy  map[Item]string // by the backend's id
	digest  string
}

// maxIDFaults is the maximum number of reported faults in a file.
const maxIDFaults = 20

// ParseIDs reads lines of resource, the legacy's id, and the id there, with commas
// between. Empty lines and lines that begin with # are ignored. The error names
// each wrong line, up to a bound.
func ParseIDs(text []byte) (IDs, error) {
	sum := sha256.Sum256(text)
	ids := IDs{backend: map[Item]string{}, legacy: map[Item]string{}, digest: hex.EncodeToString(sum[:4])}
	var faults []error
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if err := ids.add(strings.TrimSpace(string(line))); err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", n, err))
		}
		if len(faults) == maxIDFaults {
			break
		}
	}
	if len(faults) > 0 {
		return IDs{}, errors.Join(faults...)
	}
	return ids, nil
}

func (m IDs) add(line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	parts := strings.Split(line, ",")
	if len(parts) != 3 {
		return errors.New("not a resource and two ids, with commas between")
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	resource := parts[0]
	if !slices.Contains(Resources(), resource) {
		return fmt.Errorf("%q is no resource; there are %s", printable(resource), strings.Join(Resources(), ", "))
	}
	legacy, ok := ParseID(parts[1])
	backendID, okThere := ParseID(parts[2])
	_, twice := m.backend[Item{Resource: resource, ID: legacy}]
	switch {
	case !ok || !okThere:
		return errors.New("an id is no positive whole number")
	case twice:
		return fmt.Errorf("%s %s of the legacy stands twice", resource, legacy)
	}
	if owner, ok := m.legacy[Item{Resource: resource, ID: backendID}]; ok {
		return fmt.Errorf("%s %s there is %s of the legacy already", resource, backendID, owner)
	}
	m.backend[Item{
		Resource: resource,
		ID:       legacy,
	}], m.legacy[Item{Resource: resource, ID: backendID}] = backendID, legacy
	return nil
}

// String returns a digest of m; "" without ids.
func (m IDs) String() string { return m.digest }

// There returns the backend's id of the item that has id at the legacy.
func (m IDs) There(resource, id string) string {
	return cmp.Or(m.backend[Item{Resource: resource, ID: id}], id)
}

// Legacy returns the legacy's id of the item that has id at the backend.
func (m IDs) Legacy(resource, id string) string {
	return cmp.Or(m.legacy[Item{Resource: resource, ID: id}], id)
}

// ItemID reads the id of an item in a backend's response, a number or a text of digits.
func ItemID(item []byte) (string, bool) {
	id := jsonscan.Get(item, IDParam.Name)
	if id.Kind() == jsontext.KindNumber {
		return id.String(), true
	}
	return ParseID(jsonscan.Text(id)) // a plugin may make a text of the id
}

// LinkedID reads the id of an item that another item shows. A plugin may show only the id.
func LinkedID(item jsontext.Value) (string, bool) {
	if len(item) > 0 && item.Kind() != '{' {
		return ParseID(jsonscan.Text(item))
	}
	return ItemID(item)
}

// IDResource returns the resource of the ids that are p's values; "" if the values are no ids.
func (p *Param) IDResource() string {
	if p.Names != "" {
		return p.Names
	}
	switch p.Kind {
	case Integer, Terms, Links:
		return p.Of
	}
	return ""
}

// Outgoing is the call with the backend's ids.
func (m IDs) Outgoing(c *Call) *Call {
	if len(m.backend) == 0 {
		return c
	}
	out := *c
	if c.Item != "" && !c.Endpoint.BySlug {
		out.Item = m.There(c.Endpoint.Resource, c.Item)
	}
	out.Query = slices.Clone(c.Query)
	out.Fields = slices.Clone(c.Fields)
	for i := range out.Query {
		a := &out.Query[i]
		texts := strings.Split(a.Text, ",")
		for i := range texts {
			texts[i] = m.There(a.Param.IDResource(), texts[i])
		}
		a.Text = strings.Join(texts, ",")
	}
	for i := range out.Fields {
		a := &out.Fields[i]
		resource := a.Param.IDResource()
		if resource != "" {
			a.JSON = m.inJSON(resource, a.JSON)
		}
	}
	return &out
}

// inJSON translates the ids of a field: a number, {"id":number}, or a list of
// these. Everything else in the field describes a new item.
func (m IDs) inJSON(resource, value string) string {
	v := jsontext.Value(value)
	switch v.Kind() {
	case '0':
		return m.There(resource, value)
	case '[':
		items := jsonscan.AsList(v)
		for i, item := range items {
			items[i] = jsontext.Value(m.inJSON(resource, string(item)))
		}
		return jsonscan.List(items)
	case '{':
		id := jsonscan.Get(v, IDParam.Name)
		if id != nil {
			return string(jsonscan.With(v, IDParam.Name, m.inJSON(resource, string(id))))
		}
	}
	return value
}

// LegacyPath translates the id of an item's path back, such as /events/12. The rest of the path stays.
func (m IDs) LegacyPath(path []byte) []byte {
	if len(m.legacy) == 0 {
		return path
	}
	match := itemPath.FindSubmatchIndex(path)
	if match == nil {
		return path
	}
	id := m.Legacy(string(path[match[2]:match[3]]), string(path[match[4]:match[5]]))
	return slices.Concat(path[:match[4]], []byte(id), path[match[5]:])
}

// itemPath matches the resource and the id of a path.
var itemPath = regexp.MustCompile(`^/([^/]*)/([0-9]+)(?:[/?#]|$)`)
