package proxy

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// writing is a write on its way to a site.
type writing struct {
	*site
	x          *exchange
	call       backendCall
	conditions *conditions // still to be checked; nil: all hold
	last       upstream.Response

	final     *mapping.Call // the write that was sent; nil before the write is sent
	announced announced
}

// write sends a write to a backend, purges the changed entries, and responds.
func (s *site) write(x *exchange, id edge.Identity) error {
	w := &writing{site: s, x: x, call: s.callOf(x, x.target.call, id, upstream.Write), conditions: conditionsOf(x.request.Header)}
	err := w.run()
	if errors.Is(err, errPanic) && w.final != nil {
		s.keepPending(context.WithoutCancel(x), w.announced)
		x.effect = unknownEffect
		return outcomeUnknown(err)
	}
	return err
}

// run makes the write. An error before the write is sent means that nothing was written.
func (w *writing) run() (err error) {
	defer recoverPanic(w.options.Log, w.x.id, &err)
	resp, err := w.do(w.x)
	switch {
	case w.final != nil:
		w.noteOf(w.x, w.call.withCall(w.final), resp, err)
		return w.finish(context.WithoutCancel(w.x), resp, err)
	case isBackendFault(err): // of a read on the way
		w.noteOf(w.x, w.call.withCall(w.call.call.Target()), resp, err)
		return err
	case err != nil:
		return err
	}
	w.site.send(w.x, resp, w.call.identity) // the client may not read the item, or the item does not exist
	return nil
}

// do makes the write by the client of the backend's dialect.
func (w *writing) do(ctx context.Context) (neutralResponse, error) {
	client := w.backend.client(w.call, mapping.Environment{Now: w.options.Clock(), Send: w.sendRequest, Accept: w.accept, Zone: w.zone})
	reply, err := client.Do(ctx, w.backend.rewriter.FromPages(w.call.call, w.call.choice.Index))
	if err != nil {
		return neutralResponse{}, unusable(w.call.call, w.final != nil, err)
	}
	call := w.call.call
	if w.final != nil {
		call = w.final
		ctx = context.WithoutCancel(ctx)
	}
	return w.backend.rewrite(ctx, call, w.call.choice, withReply(w.last, reply))
}

// sendRequest sends a request of the dialect: a read on the way to the write, the write, or a read that the
// response depends on. From the write on the outcome is unknown until the backend responds, also if this code
// panics. A client that closes the connection does not cancel the write: the outcome would stay unknown.
func (w *writing) sendRequest(ctx context.Context, call *mapping.Call, request mapping.Request) (mapping.Reply, error) {
	c := w.call.withCall(call)
	var err error
	switch {
	case w.final != nil:
		if w.last, err = w.backend.send(context.WithoutCancel(ctx), c, request, &w.x.calls); err != nil {
			err = outcomeUnknown(err) // of the write, which was made
		}
	case !call.Endpoint.Writes():
		w.last, err = w.currentReply(ctx, c, request)
	default:
		if err = w.admit(ctx, call); err != nil {
			return mapping.Reply{}, err
		}
		ctx = context.WithoutCancel(ctx)
		w.announced = w.announce(ctx, w.x, call, w.call.identity)
		w.final = call
		w.x.effect = unknownEffect
		w.last, err = w.backend.send(ctx, c, request, &w.x.calls)
	}
	return w.last.Reply, err
}

// admit returns an error if the conditions of a write do not hold, or if the write may change a field which the
// client does not name and does not accept to lose.
func (w *writing) admit(ctx context.Context, call *mapping.Call) error {
	if w.conditions != nil {
		target := w.call.call.Target()
		item, err := w.ask(ctx, w.x, target, w.call.identity, upstream.Write)
		switch {
		case err != nil:
			return err
		case w.reveals(target, item.reply.Reply):
			return problem.Unauthorized()
		case item.reply.Status != http.StatusOK:
			return &mapping.Refused{Reply: item.reply.Reply}
		}
		if err := w.conditions.verdict(item.body.Body); err != nil {
			return err
		}
	}
	faults := call.Losses()
	if faults != nil && handlingOf(w.x.request.Header["Prefer"]) == "strict" {
		w.x.out.Header()["Preference-Applied"] = []string{"handling=strict"}
		return faults
	}
	return nil
}

// accept checks the response to a read on the way, and the conditions with the item that is read for the write.
func (w *writing) accept(ctx context.Context, lookup *mapping.Call, reply mapping.Reply) error {
	resp, err := w.backend.rewrite(ctx, lookup, w.call.choice, withReply(w.last, reply))
	if err != nil {
		return err
	}
	w.noteOf(ctx, w.call.withCall(lookup), resp, nil)
	switch {
	case w.reveals(lookup, reply):
		return problem.Unauthorized()
	case reply.Status != http.StatusOK || !lookup.Edits || w.conditions == nil:
		return nil
	}
	conditions := w.conditions
	w.conditions = nil
	failed := conditions.verdict(resp.body.Body)
	if !lookup.ShowsMore() || conditions.noneMatch == nil && failed == nil {
		return failed
	}
	// A mismatch of a response with more than the client saw proves nothing.
	plain, err := w.ask(ctx, w.x, w.call.call.Target(), w.call.identity, upstream.Write)
	switch {
	case err != nil:
		return err
	case plain.reply.Status != http.StatusOK:
		return failed
	}
	return conditions.verdict(plain.body.Body)
}

// reveals reports whether an anonymous client would learn from the error of a read a fact that the site hides
// in the response to a write: that an item exists, or that a term does not.
func (w *writing) reveals(lookup *mapping.Call, reply mapping.Reply) bool {
	hides := reply.Status == http.StatusForbidden && lookup.Endpoint.HidesItem(reply.Body)
	isUnknown := reply.Status == http.StatusBadRequest && lookup.Value(mapping.IncludeName) != ""
	return w.call.identity.Anonymous() && (hides || isUnknown)
}

// zone returns the time zone of the site; nil if the site hides the zone, so that a fault asks for a field that
// needs no zone.
func (w *writing) zone(ctx context.Context) (*time.Location, error) {
	zone, err := w.options.SiteZone(ctx, w.backend.roots[w.call.choice.Index].Upstream)
	if err != nil && !errors.Is(err, probe.ErrZoneHidden) {
		return nil, unavailable(err)
	}
	return zone, nil
}

// finish purges the entries that a write has changed, and responds.
func (w *writing) finish(ctx context.Context, resp neutralResponse, err error) error {
	x := w.x
	spaces := w.spaces[x.target.choice.Index]
	switch {
	case err != nil && nothingDone(w.final, err):
		w.announced.Withdraw()
		x.effect = noEffect
		return x.noteCreated(w.final, err)
	case err != nil:
		w.keepPending(ctx, w.announced)
		return x.noteCreated(w.final, err)
	}
	if resp.reply.Status >= http.StatusBadRequest {
		created := w.final.CreatedBefore(resp.reply.Body)
		if len(created) > 0 { // in spite of the refusal
			x.effect = knownEffect
			w.purgeWritten(ctx, x, w.announced, w.final.PurgedTags(spaces, "", nil))
			resp.body.Body = mapping.AddToMessage(resp.body.Body, x.createdNote(created))
		} else {
			x.effect = noEffect
			w.announced.Withdraw()
		}
		w.send(x, resp, w.call.identity)
		return nil
	}
	x.effect = knownEffect
	w.purgeWritten(ctx, x, w.announced, w.final.PurgedTags(spaces, resp.body.ID, resp.body.Shows))
	if err := w.verify(resp); err != nil {
		return err
	}
	w.send(x, resp, w.call.identity)
	return nil
}

// nothingDone reports whether the error of a write means that nothing changed. If the write describes items in
// place, the site may have created these items before.
func nothingDone(call *mapping.Call, err error) bool {
	e, ok := errors.AsType[*problem.Error](err)
	if ok && (e.Code == codeOutcomeUnknown || e.Code == codeInternal) {
		return false // also if a read after the write was not sent
	}
	return errors.Is(err, upstream.ErrNotSent) || ok && len(call.Inline()) == 0
}

// noteCreated adds to an error the items that the site may have created on the way, unless nothing was sent.
func (x *exchange) noteCreated(call *mapping.Call, err error) error {
	e, ok := errors.AsType[*problem.Error](err)
	created := call.Inline()
	if len(created) == 0 || errors.Is(err, upstream.ErrNotSent) || !ok {
		return err
	}
	noted := *e
	noted.Note = x.createdNote(created)
	return &noted
}

func (x *exchange) createdNote(items []string) string {
	return x.texts.Text("error.kept", map[string]string{"Items": strings.Join(items, ", ")})
}

// verify logs and counts the fields in which an update did something else than requested, and returns these
// fields as an error if the client asks for strict handling.
func (w *writing) verify(resp neutralResponse) error {
	x := w.x
	drifts := resp.reply.Drift
	handling := handlingOf(x.request.Header["Prefer"])
	if handling != "" && x.target.call.Endpoint.Action == mapping.Update {
		x.out.Header()["Preference-Applied"] = []string{"handling=" + handling}
	}
	if len(drifts) == 0 {
		return nil
	}
	w.options.Metrics.Drifted(drifts)
	texts := make([]string, 0, len(drifts))
	for _, d := range drifts {
		texts = append(texts, d.Field+" "+string(d.Kind))
	}
	w.options.Log.Warn("update drift", zap.String("request_id", x.id), zap.String("endpoint", x.target.Endpoint.Name()),
		zap.String("item", w.final.Item), zap.Strings("fields", texts))
	if handling != "strict" {
		return nil
	}
	return problem.UpdateDrift(strings.Join(texts, ", "))
}

// handlingOf returns the preference "handling" (RFC 7240, 4.4) of a client: "strict", "lenient", or "" without
// the preference. The first value counts.
func handlingOf(prefer []string) string {
	match := handling.FindStringSubmatch(strings.Join(prefer, ","))
	if match != nil {
		return strings.ToLower(match[1])
	}
	return ""
}

var handling = regexp.MustCompile(`(?i)(?:^|,)\s*handling\s*=\s*"?(strict|lenient)"?\s*(?:[,;]|$)`)

// currentReply makes a request for a read that a write needs, which must be no older than the write. A write
// with an old read fails before the write is sent.
func (w *writing) currentReply(ctx context.Context, c backendCall, request mapping.Request) (upstream.Response, error) {
	resp, err := w.pastCaches(&c, func() (neutralResponse, error) {
		reply, err := w.backend.send(ctx, c, request, &w.x.calls)
		return neutralResponse{reply: reply}, err
	})
	return resp.reply, err
}
