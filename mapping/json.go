package mapping

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSONError is the reason why a body is no JSON that the facade accepts. Code is PHP's
// (json_last_error), and so is Message where PHP has one, since clients of
// the legacy know.
type JSONError struct {
	Code    int
	Message string
	Err     error // position and reason; safe to log, since no value is quoted
}

func (e *JSONError) Error() string { return e.Message }
func (e *JSONError) Unwrap() error { return e.Err }

var (
	errDepth    = errors.New("nested too deep")
	errTrailing = errors.New("data after the value")
	errList     = errors.New("a list, not an object")
)

// DecodeJSON reads a JSON object. Repeated names, data after the object and anything but UTF-8 are errors: two
// readers must not read two things. Other JSON is no body, as at the site (recordings update-body-*,
// delete-body-*): PHP writes [] for an object without members. A list with elements is an error, because the
// client meant to send something.
func DecodeJSON(data []byte) (Node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	room := MaxValues
	n, err := decode(d, &room)
	if errors.Is(err, ErrTooManyValues) {
		return Node{}, err
	}
	if err == nil {
		if _, end := d.ReadToken(); !errors.Is(end, io.EOF) {
			err = errTrailing
		}
	}
	if err == nil && n.kind == list && len(n.items) > 0 {
		err = errList
	}
	switch {
	case err != nil:
		return Node{}, jsonError(data, err)
	case n.kind != object:
		return Node{}, nil
	}
	return n, nil
}

// decode reads a value, and subtracts the number of nodes from room; no room is an error.
func decode(d *jsontext.Decoder, room *int) (Node, error) {
	tok, err := d.ReadToken()
	if err != nil {
		return Node{}, err
	}
	*room--
	if *room < 0 {
		return Node{}, ErrTooManyValues
	}
	switch tok.Kind() {
	case '"':
		return Node{kind: jsonString, text: tok.String()}, nil
	case '0':
		text := tok.String()
		if i, ok := parseWhole(text); ok {
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
	case !utf8.Valid(data):
		return &JSONError{Code: 5, Message: "Malformed UTF-8 characters, possibly incorrectly encoded", Err: err}
	}
	message := "Syntax error"
	for _, cause := range []error{jsontext.ErrDuplicateName, errTrailing, errList} {
		if errors.Is(err, cause) {
			message = "Syntax error: " + cause.Error()
		}
	}
	return &JSONError{Code: 4, Message: message, Err: err}
}

// maxWhole is the limit up to which every whole number is a floating-point number.
const maxWhole = 1 << 53

// parseWhole reads a whole number in the forms that PHP accepts in queries, forms and the texts of JSON: with
// blanks around, a fraction of zeros or an exponent, such as " 1", "2.0", "1e1".
func parseWhole(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	i, err := strconv.ParseInt(strings.TrimPrefix(s, "+"), 10, 64)
	if err == nil {
		return i, !strings.HasPrefix(s, "+-")
	}
	x, ok := decimal(s)
	return int64(x), ok && x == math.Trunc(x) && math.Abs(x) < maxWhole
}

// decimal reads a decimal number. ParseFloat reads more: hexadecimal, underscores,
// Inf, NaN.
func decimal(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && !strings.ContainsAny(s, "xXpP_iInN") && !math.IsInf(x, 0)
}

// Members is a JSON object that preserves the order of members.
type Members []Member

// Member is a member of a JSON object.
type Member = struct {
	Name  string
	Value any
}

// With returns m with another member if when is true, and does not change m.
func (m Members) With(present bool, name string, value any) Members {
	if !present {
		return m
	}
	return append(m[:len(m):len(m)], Member{Name: name, Value: value})
}

// Get returns the value that the names lead to, through objects; nil without such a value.
func (m Members) Get(names ...string) any {
	var v any = m
	for _, name := range names {
		inside, _ := v.(Members)
		i := slices.IndexFunc(inside, func(member Member) bool { return member.Name == name })
		if i < 0 {
			return nil
		}
		v = inside[i].Value
	}
	return v
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

// EncodeJSON returns v as JSON, and panics for a value that does not encode.
func EncodeJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: not encodable as JSON: " + err.Error())
	}
	return b
}
