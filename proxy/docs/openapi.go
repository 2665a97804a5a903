package docs

import (
	"bytes"
	"encoding/json"
	"strings"
)

// ordered is a JSON object, whose members keep their order.
type ordered[T any] []member[T]

type member[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON implements [json.Unmarshaler].
func (o *ordered[T]) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := member[T]{Name: name.(string)}
		if err := d.Decode(&m.Value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}

func (o ordered[T]) get(name string) (value T) {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return value
}

// openAPI has the parts of a document that the page shows.
type openAPI struct {
	Servers []struct{ URL string }
	Tags    []struct{ Name, Description string }
	Paths   ordered[ordered[openAPIOperation]]

	Components struct {
		Parameters ordered[openAPIParameter]
		Headers    ordered[openAPIParameter]
		Responses  ordered[openAPIResponse]
		Schemas    ordered[schema]
		Examples   ordered[struct{ Value json.RawMessage }]
	}
}

type openAPIOperation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Parameters                        []openAPIParameter
	RequestBody                       struct{ Content ordered[openAPIMedia] }
	Responses                         ordered[openAPIResponse]
	Security                          []map[string]any
}

type openAPIParameter struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Required              bool
	Schema                schema
}

type openAPIMedia struct {
	Schema   schema
	Example  json.RawMessage
	Examples ordered[openAPIResponse]
}

type openAPIResponse struct {
	Ref         string `json:"$ref"`
	Description string
	Content     ordered[openAPIMedia]
}

// schema is a JSON schema.
type schema struct {
	Ref          string `json:"$ref"`
	Type         types
	Description  string
	Properties   ordered[schema]
	Required     []string
	Items        *schema
	OneOf, AllOf []schema
	Enum         []any
	Default      json.RawMessage
}

// types are the types of a schema: a text or a list in JSON.
type types []string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *types) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// last returns the name at the end of a reference.
func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }
