package mapping

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Why an answer of the successor cannot be used.
var (
	errNoSlugs    = fmt.Errorf("%w: the site's lists have no filter by slug; the hooks tec_events_rest_v1_events_read_params and its like can declare one", ErrNotSupported)
	errNoPrevious = errors.New("a deletion does not tell what was deleted")
)

// tecCodes are the legacy's codes for what the successor says with a status alone.
// %s is an item of the resource.
var tecCodes = map[int]string{
	http.StatusNotFound: "rest-%s-not-found",
	http.StatusGone:     "%s-is-in-trash",
}

// tecFailure gives an error the form of WordPress, without the successor's own
// names. What cannot be read stays, to be refused later.
func tecFailure(c *Call, got Reply) []byte {
	said, err := jsonscan.Members(got.Body)
	if err != nil && got.Status != http.StatusNotFound {
		return got.Body
	}
	singular := Singular(c.Endpoint.Resource)
	code, message := jsonscan.Text(said["code"]), jsonscan.Text(said["message"])
	switch {
	case code == "tec_rest_organizers_page_not_found": // of venues and events too
		code = singular + "-archive-page-not-found"
	case strings.HasPrefix(code, "tec_"):
		code = codeInvalid
	case code == "":
		code, message = strings.ReplaceAll(tecCodes[got.Status], "%s", singular), jsonscan.Text(said["error"])
	default:
		return got.Body
	}
	if code == "" {
		code = "rest_error"
	}
	if message == "" {
		message = code
	}
	var data []Member
	if argument := jsonscan.Text(jsonscan.Get(said["data"], "argument")); argument != "" && code == codeInvalid {
		name := tecNameOf(c, argument)
		message = strings.ReplaceAll(message, argument, name)
		data = append(data, Member{"params", Members{{name, message}}})
	}
	return ErrorBody(code, message, got.Status, data...)
}

// tecNameOf gives the table's name of a parameter or field.
func tecNameOf(c *Call, there string) string {
	for _, p := range c.Endpoint.Args() {
		name := strings.TrimSuffix(tecParams[c.Endpoint.Resource][p.Name], "[]")
		if p.In == InBody {
			name = tecFields[c.Endpoint.Resource][p.Name].name
			if name == "" {
				name = tecPost[p.Name].name
			}
		}
		if name == there {
			return p.Name
		}
	}
	return there
}
