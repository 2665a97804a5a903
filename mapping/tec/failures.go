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

// The codes of the successor and of WordPress with the same meaning as a code of the legacy.
const (
	codeForbidden   = "rest_forbidden"       // of the legacy too
	codeTermUnknown = "rest_term_invalid"    // with 404, of the term that the path names
	codePostUnknown = "rest_post_invalid_id" // of the parameter post, with 400
)

// forbiddenCodes are the codes that WordPress's own API has for terms instead of codeForbidden.
var forbiddenCodes = []string{"rest_cannot_create", "rest_cannot_update", "rest_cannot_delete"}

// failed returns the legacy's form of an error, as far as that can be known. An error that leaves open whether
// the item exists costs a read of the item's tags, with the error codePostUnknown for an unknown item
// (recording tec/wp-tags-post-unknown). An unreadable error is not changed: the caller refuses it.
func (t *client) failed(ctx context.Context, c *mapping.Call, reply mapping.Reply) (failure mapping.Reply, err error) {
	code := mapping.CodeOf(reply.Body)
	open := leavesOpen(c, reply)
	field, isLink := c.Argument(&forField)
	if open {
		failure, err = t.sendBeside(ctx, c, mapping.Request{
			Method: http.MethodGet, Path: "/" + termPaths["tags"], Header: t.Dialect.Header, Tries: true,
			Query: "post=" + t.IDs.There(c.Endpoint.Resource, c.Item) + "&per_page=1&_fields=id",
		})
	}
	switch {
	case err != nil:
	case isLink && (code == "" || code == codeForbidden):
		failure = mapping.Reply{Status: http.StatusBadRequest, Body: invalidParam(field.Text)}
	case open && mapping.CodeOf(failure.Body) == codePostUnknown, code == codeTermUnknown && reply.Status == http.StatusNotFound:
		failure = unknownItem(c, mapping.IDParam.Name, c.Item)
	case open && !c.Edits:
		failure = inaccessible(c)
	case reply.Status == http.StatusNotFound && isPost(c) && strings.Trim(c.Item, "0") == "":
		failure = unknownItem(c, mapping.IDParam.Name, "0")
	case reply.Status == http.StatusNotFound && code == "" && isPost(c):
		failure = trashed(c)
	default:
		reply.Body = failureOf(c, reply)
		failure = reply
	}
	return failure, err
}

func isPost(c *mapping.Call) bool {
	return c.Endpoint.Action == mapping.Read && termPaths[c.Endpoint.Resource] == ""
}

// leavesOpen reports whether an error is the same for an item that the client may not read and for an unknown
// item (recordings tec/events-unknown, -read-draft and -unknown-as-admin). The legacy distinguishes the two,
// except before an anonymous write to an event.
func leavesOpen(c *mapping.Call, reply mapping.Reply) bool {
	anonymous := reply.Status == http.StatusUnauthorized
	_, isLink := c.Argument(&forField)
	return isPost(c) && !isLink && (anonymous || reply.Status == http.StatusForbidden) && mapping.CodeOf(reply.Body) == codeForbidden &&
		!(anonymous && c.Edits && c.Endpoint.Resource == "events")
}

// failureOf returns an error in the form of WordPress, without the successor's names.
func failureOf(c *mapping.Call, reply mapping.Reply) []byte {
	body, err := jsonscan.Members(reply.Body)
	if err != nil {
		return reply.Body
	}
	singular := mapping.Singular(c.Endpoint.Resource)
	code := jsonscan.Text(body["code"])
	message := jsonscan.Text(body["message"])
	switch {
	case code == codePageBeyond:
		code = singular + notFoundSuffix
	case code == mapping.CodeInvalid:
		return invalidParams(c, reply.Status, message, jsonscan.Get(body["data"], "params"))
	case code == codePostUnknown && c.Endpoint.Action == mapping.List:
		if c.Value("event") != "" {
			return invalidParam("event")
		}
		return invalidParam("post")
	case slices.Contains(forbiddenCodes, code):
		code = codeForbidden
	case code == "" && reply.Status == http.StatusGone:
		code = singular + "-is-in-trash"
		message = jsonscan.Text(body["error"])
	case code == "":
		message = jsonscan.Text(body["error"])
	default:
		return reply.Body
	}
	return mapping.ErrorBody(cmp.Or(code, "rest_error"), cmp.Or(message, code, "rest_error"), reply.Status)
}

// codePageBeyond is the code for a page past the end, of venues and events too.
const codePageBeyond = "tec_rest_organizers_page_not_found"

// notFoundSuffix ends the legacy's code for a page past the end.
const notFoundSuffix = "-archive-page-not-found"

// invalidParams is the error for invalid parameters, by the names in the table. message ends
// with the names of the successor, as do the texts of params.
func invalidParams(c *mapping.Call, status int, message string, params jsontext.Value) []byte {
	var names []string
	var texts mapping.Members
	for parameter, text := range jsonscan.Each(params) {
		name := nameInTable(c, parameter)
		names = append(names, name)
		texts = append(texts, mapping.Member{Name: name, Value: strings.ReplaceAll(jsonscan.Text(text), parameter, name)})
	}
	if names == nil {
		return mapping.ErrorBody(mapping.CodeInvalid, mapping.CodeInvalid, status)
	}
	message, _, _ = strings.Cut(message, ":")
	return mapping.ErrorBody(mapping.CodeInvalid, message+": "+strings.Join(names, ", "), status,
		mapping.Member{Name: "params", Value: texts})
}

// nameInTable returns the table's name of a parameter or field that the successor calls there.
func nameInTable(c *mapping.Call, parameter string) string {
	for _, p := range c.Endpoint.Args {
		if strings.TrimSuffix(sentName(c.Endpoint.Resource, p), "[]") == parameter {
			return p.Name
		}
	}
	return parameter
}

// unknownItem is the legacy's error for an item that does not exist, named by id or slug
// (recordings events/single-id-unknown, venues/single-id-unknown, events/by-slug-unknown,
// events/update-by-slug-unknown).
func unknownItem(c *mapping.Call, param, id string) mapping.Reply {
	_, updates := c.Argument(&forUpdate)
	if c.Endpoint.Resource == "events" && (param == mapping.IDParam.Name || updates) {
		return refusal(http.StatusNotFound, "rest-event-not-found", "No event has the ID "+id+".")
	}
	return mapping.Reply{Status: http.StatusBadRequest, Body: invalidParam(param)}
}

// inaccessible is the legacy's error for a draft, a private or a scheduled item (recordings
// events/single-draft, venues/single-draft).
func inaccessible(c *mapping.Call) mapping.Reply {
	singular := mapping.Singular(c.Endpoint.Resource)
	return refusal(http.StatusForbidden, singular+"-not-accessible", "The client may not read the "+singular+".")
}

// trashed is the legacy's error for an item in the trash (recordings events/single-trashed-as-admin,
// events/delete-again). The legacy publishes a trashed item that is updated; the successor fails with a 500
// (recording tec/events-update-after-delete).
func trashed(c *mapping.Call) mapping.Reply {
	singular := mapping.Singular(c.Endpoint.Resource)
	switch {
	case c.Edits:
		return refusal(http.StatusGone, singular+"-is-in-trash", "The "+singular+" is in the trash.")
	case c.Endpoint.Resource == "events":
		return refusal(http.StatusForbidden, "event-no-longer-available", "The event is in the trash.")
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
