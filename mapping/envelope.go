package mapping

import (
	"net/http"
	"strings"
)

// ErrorBody is an error in WordPress's envelope: {"code","message","data"}, data
// beginning with the status.
func ErrorBody(code, message string, status int, data ...Member) []byte {
	return encodeJSON(Members{
		{"code", code},
		{"message", message},
		{"data", append(Members{{"status", status}}, data...)},
	})
}

// Body returns all faults at once in WordPress's form. If something is missing
// WordPress reports only that; here details has the invalid ones.
func (f Faults) Body(v Texts) (code string, body []byte) {
	missing, invalid := []string{}, Members{}
	details := Members{}
	for i := range f {
		if f[i].Missing {
			missing = append(missing, f[i].Param)
			continue
		}
		text := f[i].text(v)
		details = append(details, Member{f[i].Param, Members{
			{"code", f[i].Code},
			{"message", text},
			{"data", f[i].data()},
		}})
		if f[i].Opaque {
			text = v.Text("error.invalid_parameter", nil)
		}
		invalid = append(invalid, Member{f[i].Param, text})
	}
	if len(missing) == 0 {
		return faultBody(v, "rest_invalid_param", invalid.names(), invalid, details)
	}
	return faultBody(v, "rest_missing_callback_param", missing, missing, details)
}

func faultBody(v Texts, code string, names []string, params any, details Members) (string, []byte) {
	message := v.Text("error."+code, map[string]string{"Params": strings.Join(names, ", ")})
	data := Members{{"params", params}}
	if len(details) > 0 {
		data = append(data, Member{"details", details})
	}
	return code, ErrorBody(code, message, http.StatusBadRequest, data...)
}

// data is what WordPress adds to a detail: for an enum nothing.
func (f *Fault) data() any {
	if f.Code == codeEnum {
		return nil
	}
	return Members{{"param", f.Param}}
}

func (f *Fault) text(v Texts) string {
	args := map[string]string{"Param": f.Param}
	for name, arg := range f.Args {
		args[name] = arg
	}
	if f.Code == codeEnum {
		args["List"] = v.Join(strings.Split(args["List"], "\x00"))
	}
	return v.Text("fault."+f.Reason, args)
}
