package tec

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// The codes of the successor and of WordPress that mean the same as one of the legacy.
const (
	codeForbidden   = "rest_forbidden"       // of the legacy too
	codeTermUnknown = "rest_term_invalid"    // with 404, of the term that the path names
	codePostUnknown = "rest_post_invalid_id" // of the parameter post, with 400
)

// forbiddenCodes are the codes that WordPress's own API has for terms instead of codeForbidden.
var forbiddenCodes = []string{"rest_cannot_create", "rest_cannot_update", "rest_cannot_delete"}

// failed returns the legacy's form of an error, as far as that can be known. An error that leaves open
// whether the item exists costs a read of the item's tags, whose error has codePostUnknown if there is no such item
// (recording tec/wp-tags-post-unknown). An unreadable error is not changed: the caller refuses it.
func (t *client) failed(ctx context.Context, c *mapping.Call, got mapping.Reply) (made mapping.Reply, err error) {
	code, open := mapping.CodeOf(got.Body), leavesOpen(c, got)
	field, isLink := c.Argument(&forField)
	if open {
		made, err = t.sendBeside(ctx, c, mapping.Request{
			Method: http.MethodGet, Path: "/" + termPaths["tags"], Header: t.Dialect.Header, Tries: true,
			Query: "post=" + t.IDs.There(c.Endpoint.Resource, c.Item) + "&per_page=1&_fields=id",
		})
	}
	switch {
	case err != nil:
	case isLink && (code == "" || code == codeForbidden):
		made = mapping.Reply{Status: http.StatusBadRequest, Body: invalidParam(field.Text)}
	case open && mapping.CodeOf(made.Body) == codePostUnknown, code == codeTermUnknown && got.Status == http.StatusNotFound:
		made = unknownItem(c, mapping.IDParam.Name, c.Item)
	case open && !c.Edits:
		made = inaccessible(c)
	case got.Status == http.StatusNotFound && isPost(c) && strings.Trim(c.Item, "0") == "":
		made = unknownItem(c, mapping.IDParam.Name, "0")
	case got.Status == http.StatusNotFound && code == "" && isPost(c):
		made = trashed(c)
	default:
		got.Body = failureOf(c, got)
		made = got
	}
	return made, err
}

func isPost(c *mapping.Call) bool {
	return c.Endpoint.Action == mapping.Read && termPaths[c.Endpoint.Resource] == ""
}

// leavesOpen reports whether an error is the same for an item that the client may not read and for
// one that does not exist (recordings tec/events-unknown, -read-draft and -unknown-as-admin). The
// legacy has different errors for them, except before an anonymous write to an event.
func leavesOpen(c *mapping.Call, got mapping.Reply) bool {
	anonymous := got.Status == http.StatusUnauthorized
	_, isLink := c.Argument(&forField)
	return isPost(c) && !isLink && (anonymous || got.Status == http.StatusForbidden) && mapping.CodeOf(got.Body) == codeForbidden &&
		!(anonymous && c.Edits && c.Endpoint.Resource == "events")
}

// failureOf returns an error in the form of WordPress, without the successor's own names.
func failureOf(c *mapping.Call, got mapping.Reply) []byte {
	body, err := jsonscan.Members(got.Body)
	if err != nil {
		return got.Body
	}
	singular := mapping.Singular(c.Endpoint.Resource)
	code, message := jsonscan.Text(body["code"]), jsonscan.Text(body["message"])
	switch {
	case code == codePageBeyond:
		code = singular + notFoundSuffix
	case code == mapping.CodeInvalid:
		return invalidParams(c, got.Status, message, jsonscan.Get(body["data"], "params"))
	case code == codePostUnknown && c.Endpoint.Action == mapping.List:
		if c.Value("event") != "" {
			return invalidParam("event")
		}
		return invalidParam("post")
	case slices.Contains(forbiddenCodes, code):
		code = codeForbidden
	case code == "" && got.Status == http.StatusGone:
		code, message = singular+"-is-in-trash", jsonscan.Text(body["error"])
	case code == "":
		message = jsonscan.Text(body["error"])
	default:
		return got.Body
	}
	return mapping.ErrorBody(cmp.Or(code, "rest_error"), cmp.Or(message, code, "rest_error"), got.Status)
}

// codePageBeyond is the code for a page past the end, of venues and events too.
const codePageBeyond = "tec_rest_organizers_page_not_found"

// notFoundSuffix ends the legacy's code for a page past the end.
const notFoundSuffix = "-archive-page-not-found"

// invalidParams is the error for invalid parameters, by their names in the table. message ends
// with the names of the successor, as do the texts of params.
func invalidParams(c *mapping.Call, status int, message string, params jsontext.Value) []byte {
	var names []string
	var texts mapping.Members
	for there, text := range jsonscan.Each(params) {
		name := nameInTable(c, there)
		names = append(names, name)
		texts = append(texts, mapping.Member{Name: name, Value: strings.ReplaceAll(jsonscan.Text(text), there, name)})
	}
	if names == nil {
		return mapping.ErrorBody(mapping.CodeInvalid, mapping.CodeInvalid, status)
	}
	message, _, _ = strings.Cut(message, ":")
	return mapping.ErrorBody(mapping.CodeInvalid, message+": "+strings.Join(names, ", "), status,
		mapping.Member{Name: "params", Value: texts})
}

// nameInTable returns the table's name of a parameter or field that the successor calls there.
func nameInTable(c *mapping.Call, there string) string {
	for _, p := range c.Endpoint.Args {
		if strings.TrimSuffix(sentName(c.Endpoint.Resource, p), "[]") == there {
			return p.Name
		}
	}
	return there
}

// unknownItem is the legacy's error for an item that does not exist, named by its id or slug
// (recordings events/single-id-unknown, venues/single-id-unknown, events/by-slug-unknown,
// events/update-by-slug-unknown).
func unknownItem(c *mapping.Call, param, id string) mapping.Reply {
	_, updates := c.Argument(&forUpdate)
	if c.Endpoint.Resource == "events" && (param == mapping.IDParam.Name || updates) {
		return refusal(http.StatusNotFound, "rest-event-not-found", "Event with ID "+id+" does not exist.")
	}
	return mapping.Reply{Status: http.StatusBadRequest, Body: invalidParam(param)}
}

// inaccessible is the legacy's error for a draft, a private or a scheduled item (recordings
// events/single-draft, venues/single-draft).
func inaccessible(c *mapping.Call) mapping.Reply {
	singular := mapping.Singular(c.Endpoint.Resource)
	return refusal(http.StatusForbidden, singular+"-not-accessible", "The requested "+singular+" is not accessible")
}

// trashed is the legacy's error for an item in the trash (recordings events/single-trashed-as-admin,
// events/delete-again). It publishes one that is updated; the successor fails with a 500
// (recording tec/events-update-after-delete).
func trashed(c *mapping.Call) mapping.Reply {
	singular := mapping.Singular(c.Endpoint.Resource)
	switch {
	case c.Edits:
		return refusal(http.StatusGone, singular+"-is-in-trash", "The "+singular+" is already trashed")
	case c.Endpoint.Resource == "events":
		return refusal(http.StatusForbidden, "event-no-longer-available", "This event is no longer available")
	}
	return inaccessible(c)
}

func invalidParam(name string) []byte {
	return mapping.ErrorBody(mapping.CodeInvalid, "Invalid parameter(s): "+name, http.StatusBadRequest,
		mapping.Member{Name: "params", Value: mapping.Members{{Name: name, Value: "Invalid parameter."}}},
		mapping.Member{Name: "details", Value: []string{}})
}

func refusal(status int, code, message string) mapping.Reply {
	return mapping.Reply{Status: status, Body: mapping.ErrorBody(code, message, status)}
}
