package tec

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

var errNoPrevious = errors.New("the response to a deletion lacks the deleted item")

// codeOfStatus are the legacy's codes for what the successor reports with a status alone.
// %s is an item of the resource.
var codeOfStatus = map[int]string{
	http.StatusNotFound: "rest-%s-not-found",
	http.StatusGone:     "%s-is-in-trash",
}

// failureOf returns an error the form of WordPress, without the successor's own
// names. What cannot be read stays, to be refused later.
func failureOf(c *mapping.Call, got mapping.Reply) []byte {
	body, err := jsonscan.Members(got.Body)
	if err != nil && got.Status != http.StatusNotFound {
		return got.Body
	}
	singular := mapping.Singular(c.Endpoint.Resource)
	code, message := jsonscan.Text(body["code"]), jsonscan.Text(body["message"])
	switch code {
	case codePageBeyond:
		code = singular + "-archive-page-not-found"
	case mapping.CodeInvalid:
		return invalidParams(c, got.Status, message, jsonscan.Get(body["data"], "params"))
	case "":
		code, message = strings.ReplaceAll(codeOfStatus[got.Status], "%s", singular), jsonscan.Text(body["error"])
	default:
		return got.Body
	}
	return mapping.ErrorBody(cmp.Or(code, "rest_error"), cmp.Or(message, code, "rest_error"), got.Status)
}

// codePageBeyond is the code for a page past the end, of venues and events too.
const codePageBeyond = "tec_rest_organizers_page_not_found"

// pageBeyond is the response to a page past the end.
func pageBeyond(c *mapping.Call) mapping.Reply {
	got := mapping.Reply{Status: http.StatusNotFound, Body: mapping.ErrorBody(codePageBeyond, "The requested page was not found.", http.StatusNotFound)}
	got.Body = failureOf(c, got)
	return got
}

// invalidParams is the error for invalid parameters, by their names in the table. message ends
// with the names of the successor, as do the texts of params.
func invalidParams(c *mapping.Call, status int, message string, params jsontext.Value) []byte {
	var names []string
	var texts mapping.Members
	_ = jsonscan.EachMember(params, func(there string, text jsontext.Value) error { // no object has none
		name := nameInTable(c, there)
		names = append(names, name)
		texts = append(texts, mapping.Member{Name: name, Value: strings.ReplaceAll(jsonscan.Text(text), there, name)})
		return nil
	})
	if names == nil {
		return mapping.ErrorBody(mapping.CodeInvalid, mapping.CodeInvalid, status)
	}
	message, _, _ = strings.Cut(message, ":")
	return mapping.ErrorBody(mapping.CodeInvalid, message+": "+strings.Join(names, ", "), status, mapping.Member{Name: "params", Value: texts})
}

// nameInTable returns the table's name of a parameter or field.
func nameInTable(c *mapping.Call, there string) string {
	for _, p := range c.Endpoint.Args() {
		name := strings.TrimSuffix(paramNames[c.Endpoint.Resource][p.Name], "[]")
		if p.In == mapping.InBody {
			name = fieldForms[c.Endpoint.Resource][p.Name].name
			if name == "" {
				name = postFields[p.Name].name
			}
		}
		if name == there {
			return p.Name
		}
	}
	return there
}

// hiddenEvent reports whether c reads an event that a password hides. The successor answers 200, and
// the legacy does not show the event.
func hiddenEvent(c *mapping.Call, item []byte) bool {
	return c.Endpoint.Resource == "events" && c.Endpoint.Action == mapping.Read && isLocked(jsonscan.Get(item, "content"))
}

// passwordNeeded is the legacy's response to a read without the password (recording
// events/single-password).
func passwordNeeded() mapping.Reply {
	return mapping.Reply{
		Status: http.StatusForbidden,
		Body:   mapping.ErrorBody("event-password-protected", "The requested event is not accessible without a password", http.StatusForbidden),
	}
}
