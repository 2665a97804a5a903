package tec

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Why an answer of the successor cannot be used.
var (
	errNoSlugs    = fmt.Errorf("%w: the site's lists have no filter by slug; the hooks tec_events_rest_v1_events_read_params and its like can declare one", mapping.ErrNotSupported)
	errNoPrevious = errors.New("a deletion does not tell what was deleted")
)

// codeOfStatus are the legacy's codes for what the successor reports with a status alone.
// %s is an item of the resource.
var codeOfStatus = map[int]string{
	http.StatusNotFound: "rest-%s-not-found",
	http.StatusGone:     "%s-is-in-trash",
}

// failureOf returns an error the form of WordPress, without the successor's own
// names. What cannot be read stays, to be refused later.
func failureOf(c *mapping.Call, got mapping.Reply) []byte {
	said, err := jsonscan.Members(got.Body)
	if err != nil && got.Status != http.StatusNotFound {
		return got.Body
	}
	singular := mapping.Singular(c.Endpoint.Resource)
	code, message := jsonscan.Text(said["code"]), jsonscan.Text(said["message"])
	switch {
	case code == "tec_rest_organizers_page_not_found": // of venues and events too
		code = singular + "-archive-page-not-found"
	case strings.HasPrefix(code, "tec_"):
		code = mapping.CodeInvalid
	case code == "":
		code, message = strings.ReplaceAll(codeOfStatus[got.Status], "%s", singular), jsonscan.Text(said["error"])
	default:
		return got.Body
	}
	if code == "" {
		code = "rest_error"
	}
	if message == "" {
		message = code
	}
	var data []mapping.Member
	if argument := jsonscan.Text(jsonscan.Get(said["data"], "argument")); argument != "" && code == mapping.CodeInvalid {
		name := nameInTable(c, argument)
		message = strings.ReplaceAll(message, argument, name)
		data = append(data, mapping.Member{Name: "params", Value: mapping.Members{{Name: name, Value: message}}})
	}
	return mapping.ErrorBody(code, message, got.Status, data...)
}

// nameInTable returns the table's name of a parameter or field.
func nameInTable(c *mapping.Call, there string) string {
	for _, p := range c.Endpoint.Args() {
		name := strings.TrimSuffix(paramNames[c.Endpoint.Resource][p.Name], "[]")
		if p.In == mapping.InBody {
			name = fields[c.Endpoint.Resource][p.Name].name
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
