package mapping

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSONError is the reason why a body is no JSON that the facade accepts. Code is PHP's
// (json_last_error), and so is Message where PHP has one: that is what clients of
// the legacy know.
type JSONError struct {
	Code    int
	Message string
	Err     error // where in the body and why; safe to log, it quotes no value
}

func (e *JSONError) Error() string { return e.Message }
func (e *JSONError) Unwrap() error { return e.Err }

var (
	errDepth    = errors.New("nested too deep")
	errTrailing = errors.New("data after the value")
	errNoObject = errors.New("not an object")
)

// DecodeJSON reads a JSON object. Repeated names, data after the object
// and anything but UTF-8 are errors: two readers must not read two things.
func DecodeJSON(data []byte) (Node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	room := MaxValues
	n, err := decode(d, &room)
	if errors.Is(err, ErrTooManyValues) {
		return Node{}, err
	}
	if err == nil {
		if _, more := d.ReadToken(); !errors.Is(more, io.EOF) {
			err = errTrailing
		}
	}
	if err == nil && n.kind != object {
		err = errNoObject
	}
	if err != nil {
		return Node{}, jsonError(data, err)
	}
	return n, nil
}

// decode reads a value, of as many as there is room for.
func decode(d *jsontext.Decoder, room *int) (Node, error) {
	tok, err := d.ReadToken()
	if err != nil {
		return Node{}, err
	}
	if *room--; *room < 0 {
		return Node{}, ErrTooManyValues
	}
	switch tok.Kind() {
	case '"':
		return Node{kind: jsonString, text: tok.String()}, nil
	case '0':
		text := tok.String()
		if i, ok := whole(text, true); ok {
			text = strconv.FormatInt(i, 10) // 1.0 and 1e0 are the number 1
		}
		return Node{kind: jsonNumber, text: text}, nil
	case 't', 'f':
		return Node{kind: jsonBoolean, text: tok.String()}, nil
	case 'n':
		return Node{kind: jsonNull}, nil
	}
	if d.StackDepth() > maxDepth {
		return Node{}, errDepth
	}
	n := Node{kind: list}
	if tok.Kind() == '{' {
		n.kind = object
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		if n.kind == object {
			name, err := d.ReadToken()
			if err != nil {
				return Node{}, err
			}
			n.names = append(n.names, name.String())
		}
		item, err := decode(d, room)
		if err != nil {
			return Node{}, err
		}
		n.items = append(n.items, item)
	}
	_, err = d.ReadToken()
	return n, err
}

func jsonError(data []byte, err error) error {
	switch {
	case errors.Is(err, errDepth):
		return &JSONError{Code: 1, Message: "Maximum stack depth exceeded", Err: err}
	case !validUTF8(data):
		return &JSONError{Code: 5, Message: "Malformed UTF-8 characters, possibly incorrectly encoded", Err: err}
	}
	message := "Syntax error"
	for _, known := range []error{jsontext.ErrDuplicateName, errTrailing, errNoObject} {
		if errors.Is(err, known) {
			message = "Syntax error: " + known.Error()
		}
	}
	return &JSONError{Code: 4, Message: message, Err: err}
}

// Members is a JSON object whose members stay in order.
type Members []Member

// Member is a member of a JSON object.
type Member struct {
	Name  string
	Value any
}

// MarshalJSONTo implements json.MarshalerTo.
func (m Members) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, p := range m {
		if err := enc.WriteToken(jsontext.String(p.Name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, p.Value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// names returns the names of the members, in their order.
func (m Members) names() []string {
	names := make([]string, len(m))
	for i := range m {
		names[i] = m[i].Name
	}
	return names
}

// encodeJSON returns v as JSON. It panics for what does not encode.
func encodeJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: not encodable as JSON: " + err.Error())
	}
	return b
}
