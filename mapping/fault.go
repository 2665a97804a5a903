package mapping

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// WordPress's codes for faults of a parameter.
const (
	CodeInvalid    = "rest_invalid_param"
	codeType       = "rest_invalid_type"
	codeEnum       = "rest_not_in_enum"
	codeBounds     = "rest_out_of_bounds"
	codeTooLong    = "rest_too_long"
	CodeTooMany    = "rest_too_many_items"
	CodeDate       = "rest_invalid_date"
	codeRequired   = "rest_property_required"
	codeAdditional = "rest_additional_properties_forbidden"
	codeMissing    = "rest_missing_callback_param" // of the whole request
)

// Fault is one error in one parameter.
type Fault struct {
	Param   string   // in the client's names
	Code    string   // WordPress's code
	Reason  string   // key of the text for clients, below "fault."
	Args    []string // names and values that the text mentions, in pairs; never a value that the client sent
	Missing bool     // required and absent

	// Opaque marks a check by a function of the legacy that only returns yes or no. The legacy's response then
	// says only that the parameter is invalid, and clients compare that text.
	Opaque bool
}

// Faults are all errors in a request, in the table's order.
type Faults []Fault

func (f Faults) Error() string {
	names := make([]string, len(f))
	for i := range f {
		names[i] = f[i].Param
	}
	return "invalid or missing: " + strings.Join(names, ", ")
}

func (p *Param) Fault(code, reason string, args ...string) *Fault {
	opaque := p.Kind != Boolean && p.Kind != TextLike && p.Enum == nil
	return &Fault{Param: p.Name, Code: code, Reason: reason, Args: args, Opaque: opaque}
}

func (p *Param) notInEnum() *Fault {
	return p.Fault(codeEnum, "enum", "List", strings.Join(p.Enum, "\x00"))
}

func (p *Param) wrongType(jsonType string) *Fault { return p.Fault(codeType, "type", "Type", jsonType) }

// Texts are the texts of one language.
type Texts interface {
	// Text returns the text of a key, with placeholders filled from args.
	Text(key string, args map[string]string) string
	// Join lists items in words: "en, fr, de, and es".
	Join(items []string) string
}

// ErrorBody is an error in WordPress's envelope: {"code","message","data"}, data
// beginning with the status.
func ErrorBody(code, message string, status int, data ...Member) []byte {
	return EncodeJSON(Members{
		{"code", code},
		{"message", message},
		{"data", append(Members{{"status", status}}, data...)},
	})
}

// Body returns all faults at once in WordPress's form. If something is missing
// WordPress reports only that; here details has the invalid ones.
func (f Faults) Body(v Texts) (code string, body []byte) { return f.body(v, false) }

// body is Body, or in the form of the legacy: only the missing parameters, and details only of parameters that
// WordPress checks by schema (recordings errors/en/*, events/en/list-featured-bogus).
func (f Faults) body(v Texts, legacy bool) (code string, body []byte) {
	var missing, names []string
	invalid := Members{}
	details := Members{}
	for i := range f {
		fault := &f[i]
		if fault.Missing {
			missing = append(missing, fault.Param)
			continue
		}
		text := fault.text(v)
		if !fault.Opaque || !legacy {
			var data any = Members{{"param", fault.Param}}
			if fault.Code == codeEnum {
				data = nil // as in WordPress
			}
			details = append(details, Member{
				Name:  fault.Param,
				Value: Members{{"code", fault.Code}, {"message", text}, {"data", data}},
			})
		}
		if fault.Opaque {
			text = v.Text("error.invalid_parameter", nil)
		}
		invalid = append(invalid, Member{Name: fault.Param, Value: text})
		names = append(names, fault.Param)
	}
	data := Members{{"params", missing}, {"details", details}}
	switch {
	case missing == nil:
		data[0].Value = invalid
		if legacy && len(details) == 0 {
			data[1].Value = []string{} // as PHP has an object without members
		}
	case legacy, len(details) == 0:
		data = data[:1]
	}
	code = CodeInvalid
	if missing != nil {
		code, names = codeMissing, missing
	}
	message := v.Text("error."+code, map[string]string{"Params": strings.Join(names, ", ")})
	return code, ErrorBody(code, message, http.StatusBadRequest, data...)
}

func (f *Fault) text(v Texts) string {
	args := map[string]string{"Param": f.Param}
	for pair := range slices.Chunk(f.Args, 2) {
		args[pair[0]] = pair[1]
	}
	if f.Code == codeEnum {
		args["List"] = v.Join(strings.Split(args["List"], "\x00"))
	}
	return v.Text("fault."+f.Reason, args)
}

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
	if *room--; *room < 0 {
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
