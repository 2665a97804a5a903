package sim

import "strings"

// tecCheck judges a value other than null. The text in a fault names the parameter between
// braces.
type tecCheck func(c *call, name string, v any) error

// tecFault is an objection with a code of its own; without one it is errInvalid.
type tecFault struct {
	code, argument, message, details string
}

func (f *tecFault) Error() string { return f.message }

func newTECFault(code, argument, message, details string) *tecFault {
	braces := strings.NewReplacer("%s", "`{"+argument+"}`")
	return &tecFault{"tec_rest_invalid_" + code + "_argument", argument, braces.Replace(message), braces.Replace(details)}
}

// tecValidate reports all faults of the parameters of a request.
func (c *call) tecValidate(args []tecArg) error {
	var faults []paramFault
	for _, a := range args {
		v := c.params[a.name]
		if v == nil || a.check == nil {
			continue
		}
		switch err := a.check(c, a.name, v).(type) {
		case nil:
		case *tecFault:
			data := object{{"status", 400}, {"argument", err.argument}, {"details", err.details}}
			faults = append(faults, paramFault{a.name, err.code, err.message, data})
		case *apiError:
			return err
		default:
			faults = append(faults, paramFault{name: a.name, message: c.root.lang.text(msgInvalidOne)})
		}
	}
	if faults != nil {
		return c.root.lang.invalidParams(faults)
	}
	return nil
}
