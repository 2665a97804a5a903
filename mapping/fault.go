package mapping

import (
	"net/http"
	"slices"
	"strings"
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
