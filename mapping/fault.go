package mapping

import "strings"

// WordPress's codes for what is wrong with a parameter.
const (
	CodeInvalid    = "rest_invalid_param"
	codeType       = "rest_invalid_type"
	codeEnum       = "rest_not_in_enum"
	codeBounds     = "rest_out_of_bounds"
	codeTooLong    = "rest_too_long"
	codeTooMany    = "rest_too_many_items"
	codeDate       = "rest_invalid_date"
	codeRequired   = "rest_property_required"
	codeAdditional = "rest_additional_properties_forbidden"
)

// Fault is one thing that is wrong with one parameter.
type Fault struct {
	Param   string            // as the client knows it
	Code    string            // WordPress's code
	Reason  string            // key of the text that explains it, below "fault."
	Args    map[string]string // what the text mentions; never a value that the client sent
	Missing bool              // required and absent

	// Opaque marks what the legacy checks with a function of its own that only
	// returns yes or no. Its response then only has that the parameter is
	// invalid, and clients compare that text.
	Opaque bool
}

// Faults are all that is wrong with a request, in the table's order.
type Faults []Fault

func (f Faults) Error() string {
	names := make([]string, len(f))
	for i := range f {
		names[i] = f[i].Param
	}
	return "invalid or missing: " + strings.Join(names, ", ")
}

func (p *Param) fault(code, reason string, args ...string) *Fault {
	f := &Fault{Param: p.Name, Code: code, Reason: reason, Opaque: !p.checkedBySchema()}
	if len(args) > 0 {
		f.Args = make(map[string]string, len(args)/2)
		for i := 0; i+1 < len(args); i += 2 {
			f.Args[args[i]] = args[i+1]
		}
	}
	return f
}

// checkedBySchema reports whether the legacy leaves p to WordPress's own schema,
// which reports what is wrong, and not to a function of its own.
func (p *Param) checkedBySchema() bool {
	return p.Kind == Boolean || p.Kind == TextLike || p.Enum != nil
}

func (p *Param) notInEnum() *Fault {
	return p.fault(codeEnum, "enum", "List", strings.Join(p.Enum, "\x00"))
}

func (p *Param) wrongType(want string) *Fault { return p.fault(codeType, "type", "Type", want) }

// Texts are the texts of one language.
type Texts interface {
	// Text returns the text of a key, its placeholders filled from args.
	Text(key string, args map[string]string) string
	// Join lists items in words: "en, fr, de, and es".
	Join(items []string) string
}
