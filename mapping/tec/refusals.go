package tec

import (
	"net/http"

	"github.com/calfacade/calfacade/mapping"
)

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

// passwordNeeded is the legacy's response to a read without the password (recording
// events/single-password).
func passwordNeeded() mapping.Reply {
	return refusal(http.StatusForbidden, "event-password-protected", "The requested event is not accessible without a password")
}

func invalidParam(name string) []byte {
	return mapping.ErrorBody(mapping.CodeInvalid, "Invalid parameter(s): "+name, http.StatusBadRequest,
		mapping.Member{Name: "params", Value: mapping.Members{{Name: name, Value: "Invalid parameter."}}},
		mapping.Member{Name: "details", Value: []string{}})
}

func refusal(status int, code, message string) mapping.Reply {
	return mapping.Reply{Status: status, Body: mapping.ErrorBody(code, message, status)}
}
