package problem

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// MediaType is the media type of problem details.
const MediaType = "application/problem+json"

// details is an error in the form of RFC 9457, without the members that the envelope lacks.
type details struct {
	Type      string  `json:"type"`
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail,omitempty"`
	Code      string  `json:"code,omitempty"`
	RequestID string  `json:"request_id"`
	Params    []param `json:"params,omitempty"`
	Successor string  `json:"successor,omitempty"` // URL in the neutral namespace, if the legacy name is switched off
}

type param struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

// Details converts an envelope to problem details.
func Details(status int, envelope []byte, id string, texts i18n.Catalog) []byte {
	var e struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Params  json.RawMessage `json:"params"`
			Details json.RawMessage `json:"details"`

			Successor string `json:"successor"`
		} `json:"data"`
	}
	// Invalid members are left out: the legacy's plugins send anything.
	_ = json.Unmarshal(envelope, &e)
	p := details{
		Type: "about:blank", Title: texts.Text(statusText(status), nil), Status: status,
		Detail: e.Message, Code: e.Code, RequestID: id,
		Params:    params(e.Code, e.Data.Params, e.Data.Details, texts),
		Successor: e.Data.Successor,
	}
	body, err := json.Marshal(p)
	if err != nil {
		panic("BUG: a problem does not encode: " + err.Error())
	}
	return body
}

// params merges two members of an envelope: params has the names of missing parameters, or
// messages by name; details has more about these parameters or others.
func params(code string, params, details json.RawMessage, texts i18n.Catalog) (list []param) {
	var missing []string
	_ = json.Unmarshal(params, &missing) // fails for an object
	for _, name := range missing {
		text := texts.Text("error.rest_missing_callback_param", map[string]string{"Params": name})
		list = append(list, param{Name: name, Message: text, Code: code})
	}
	names := map[string]bool{}
	for _, object := range []json.RawMessage{details, params} {
		for name, value := range jsonscan.Each(object) { // another value has no members
			p := param{}
			if json.Unmarshal(value, &p.Message) != nil { // of params
				_ = json.Unmarshal(value, &p) // of details: code and message have the same names
			}
			p.Name = name
			p.Code = cmp.Or(p.Code, code)
			if !names[name] {
				names[name] = true
				list = append(list, p)
			}
		}
	}
	return list
}

// statuses are the statuses with a phrase in the catalogs.
var statuses = []string{
	"400", "401", "403", "404", "405", "409", "410", "412", "413", "414", "415", "422", "429", "500", "501", "502", "503", "504",
}

// statusText returns the catalog key for a status. An unknown status counts as x00 of its
// class (RFC 9110, 15).
func statusText(status int) string {
	for _, n := range []int{status, status / 100 * 100} {
		name := strconv.Itoa(n)
		if slices.Contains(statuses, name) {
			return "status." + name
		}
	}
	return "status.500"
}
