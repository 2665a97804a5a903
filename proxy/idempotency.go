package proxy

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// serveOnce serves a create. With an Idempotency-Key the create is sent once: a repetition gets the response to the
// first request.
func (f *Facade) serveOnce(x *exchange, id edge.Identity) error {
	key, err := idempotency.ParseKey(x.request.Header[idempotency.Field])
	switch {
	case err != nil:
		return &problem.Error{Status: http.StatusBadRequest, Code: "calendar_idempotency_key_invalid", Err: err}
	case key == "":
		return f.handler.serve(x, id)
	}
	// A client that leaves now must not leave the claim behind.
	claim, previous, err := f.keys.Claim(context.WithoutCancel(x), keyOf(x, id, key), x.target.fingerprint())
	switch {
	case err != nil:
		return f.notRepeated(x, id, err)
	case previous != nil:
		x.out.Header()[idempotency.Replayed] = []string{"true"}
		x.respond(previous.Status, previous.Header, previous.Body)
		return nil
	}
	x.claim = claim
	return f.handler.serve(x, id)
}

// keyOf returns the key of a client in the store. Nobody gets the response to a request with other credentials, and
// without credentials nobody at another address. The nonce changes while a user is signed in.
func keyOf(x *exchange, id edge.Identity, key string) string {
	address := ""
	if id.Anonymous() {
		address = x.client().String()
	}
	return idempotency.Digest(id.Authorization, id.Cookie, address, key)
}

// fingerprint returns a digest of a create: its row, its language root and all its values.
func (t *target) fingerprint() string {
	texts := []string{t.Endpoint.Name(), strconv.Itoa(t.Root), t.call.Language, t.query}
	for _, field := range t.call.Fields {
		texts = append(texts, field.Param.Name, field.Text, field.JSON)
	}
	return idempotency.Digest(texts...)
}

// notRepeated returns the error for a request whose key was claimed before, or whose claim failed. Nothing is sent.
func (f *Facade) notRepeated(x *exchange, id edge.Identity, err error) error {
	unknown, isUnknown := errors.AsType[*idempotency.Unknown](err)
	switch {
	case isUnknown:
		e := outcomeUnknown(err)
		createdItems := f.madeSince(x, id, unknown.Began)
		if len(createdItems) == 1 {
			e.Note = x.texts.Text("error.made_since", map[string]string{"Item": createdItems[0]})
		}
		return e
	case errors.Is(err, idempotency.ErrOther):
		return &problem.Error{Status: http.StatusUnprocessableEntity, Code: "calendar_idempotency_key_reused", Err: err}
	case errors.Is(err, idempotency.ErrInProgress):
		return &problem.Error{
			Status: http.StatusConflict, Code: "calendar_idempotency_in_progress", Err: err, Header: problem.RetryAfter(problem.RetrySoon),
		}
	}
	return &problem.Error{
		Status: http.StatusServiceUnavailable, Code: "calendar_idempotency_unavailable", Err: err, Header: problem.RetryAfter(problem.RetrySoon),
	}
}

// maxSkew is how far the clock of the site may be behind.
const maxSkew = 2 * time.Second

// madeSince returns the ids of the items that a create of unknown outcome may have made. During a migration it is
// unknown which site has the item.
func (f *Facade) madeSince(x *exchange, id edge.Identity, began time.Time) []string {
	call := x.target.call
	list := call.Namesakes()
	if list == nil || f.handler != handler(f.site) {
		return nil
	}
	leave, err := f.edge.AdmitUncached(x.client(), false)
	if err != nil {
		return nil
	}
	defer leave()
	resp, err := f.site.ask(x, x, list, id, upstream.Read)
	if err != nil || resp.reply.Status != http.StatusOK {
		return nil
	}
	return call.MadeSince(list, resp.body.Body, began.Add(-maxSkew))
}
