package tribe

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// backend is a site of the dialect.
type backend struct{ mapping.API }

// client makes one call; see [mapping.Client].
type client struct {
	backend
	env       mapping.Environment
	termReads int // see maxTermReads
}

// sendRead makes a read in one request. The legacy finds some draft by a slug that is empty after sanitizing. A
// venue or an organizer without a slug leaves the member out (recording odd-by-slug---admin).
func (t *client) sendRead(ctx context.Context, c *mapping.Call) (mapping.Reply, error) {
	reply, err := t.env.Send(ctx, c, t.request(c))
	if err != nil || c.Endpoint.Action != mapping.Read || !c.Endpoint.BySlug || reply.Status != http.StatusOK {
		return reply, err
	}
	if _, ok := mapping.ItemID(reply.Body); ok && !mapping.HasSlug(c.Item, reply.Body) {
		return reply, mapping.ErrOtherItem
	}
	return reply, nil
}

// readFirst makes a read that c depends on, and returns the body of the response.
func (t *client) readFirst(ctx context.Context, c, lookup *mapping.Call) ([]byte, error) {
	return t.env.ReadFirst(ctx, c, lookup, t.sendRead)
}

// request returns the request for a call, after all necessary reads.
func (t *client) request(c *mapping.Call) mapping.Request {
	r := t.Translate(Slashed(afterEpoch(c)), "")
	var query []string
	if r.Query != "" {
		query = append(query, r.Query)
	}
	for _, p := range c.Endpoint.Params {
		if p.Lifted != "" && c.Lifts(p) {
			query = append(query, p.Name+"="+url.QueryEscape(p.Lifted))
		}
	}
	if c.ShowsMore() {
		query = append(query, toEdit)
	}
	r.Query = t.WithLanguage(strings.Join(query, "&"), t.env.Language)
	return r
}

// toEdit lets the legacy show an item with a password to users who may edit the item, as to users who send the
// password (recording single-password-context-edit-as-admin).
const toEdit = "context=edit"

// severalOf returns the parameter that has several values although the legacy applies only the first; nil
// without such a parameter.
func severalOf(c *mapping.Call) *mapping.Param {
	for _, a := range c.Query {
		if a.Param.FirstAlone && strings.Contains(a.Text, ",") {
			return a.Param
		}
	}
	return nil
}

// afterEpoch returns c with dates that the legacy recognizes as dates; see [dates.AfterEpoch].
func afterEpoch(c *mapping.Call) *mapping.Call {
	if c.Endpoint.Action == mapping.Update || !slices.ContainsFunc(c.Query, isDate) {
		return c
	}
	dated := *c
	dated.Query = slices.Clone(c.Query)
	for i := range dated.Query {
		a := &dated.Query[i]
		if isDate(*a) {
			a.Text = dates.AfterEpoch(a.Text)
		}
	}
	return &dated
}

func isDate(a mapping.Arg) bool { return a.Param.Kind == mapping.DateTime }

// Slashed returns c with every backslash doubled: WordPress removes a level of backslashes, except from terms
// (recordings odd-create-cost--10-20-5, venues/odd-create-state--a-b, create-html-and-script).
func Slashed(c *mapping.Call) *mapping.Call {
	hasBackslash := func(a mapping.Written) bool { return strings.Contains(a.JSON, `\\`) }
	if !slices.ContainsFunc(c.Fields, hasBackslash) || c.Endpoint.OfTerms() {
		return c
	}
	slashed := *c
	slashed.Fields = slices.Clone(c.Fields)
	for i := range slashed.Fields {
		a := &slashed.Fields[i]
		a.Text = strings.ReplaceAll(a.Text, `\`, `\\`)
		a.JSON = strings.ReplaceAll(a.JSON, `\\`, `\\\\`)
	}
	return &slashed
}

// value is the value of a field in the form that a write sends.
type value struct {
	text  string
	json  string
	lossy bool // a part of the meaning may be lost; see [mapping.Written]
}

func textValue(s string) value { return value{text: s, json: jsonscan.Quote(s)} }
