package tribe

import (
	"html"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Drift compares the response to an update with the update, and with the item before the update, if that was
// read. requested is the client's call, sent the translated call. The fields are in the table's order.
//
// The site marks up what people write and makes slugs unique. So Drift reports a text, a slug or a price only
// if the value did not change.
func Drift(site mapping.API, requested, final *mapping.Call, response []byte) []mapping.Drift {
	now, err := jsonscan.Members(response)
	if err != nil || requested.Endpoint.Action != mapping.Update {
		return nil
	}
	b := backend{site}
	var former map[string]jsontext.Value // nil if the item was not read
	if final.Found != nil {
		former, _ = jsonscan.Members(final.Found)
	}
	var drifts []mapping.Drift
	for _, p := range requested.Endpoint.Fields {
		if requested.Named(p.Name) {
			a := final.Field(p.Name)
			if a != nil && !b.applied(a, former, now) {
				drifts = append(drifts, mapping.Drift{Field: p.Name, Kind: mapping.NotApplied})
			}
			continue
		}
		if former != nil && !moves(requested, p) && !b.unchanged(final, p, former, now) {
			drifts = append(drifts, mapping.Drift{Field: p.Name, Kind: mapping.Changed})
		}
	}
	return drifts
}

// unchanged reports whether p has the same value as before the update sent.
func (b backend) unchanged(final *mapping.Call, p *mapping.Param, former, now map[string]jsontext.Value) bool {
	a := final.Field(p.Name)
	if a != nil && a.Lossy {
		return false
	}
	current := b.normalizedValue(p, now)
	details := p.Name + mapping.DetailsSuffix // the amounts and the currency, which a price need not show
	return current == b.normalizedValue(p, former) && (p.Kind != mapping.Price || samePriceDetails(current, former[details], now[details]))
}

// moves reports whether a field that the call names changes p along with it.
func moves(c *mapping.Call, p *mapping.Param) bool {
	return slices.ContainsFunc(c.Fields, func(a mapping.Written) bool { return slices.Contains(a.Param.Moves, p.Name) })
}

// normalizedValue returns the value of p in an item, in a form that compares.
func (b backend) normalizedValue(p *mapping.Param, item map[string]jsontext.Value) string {
	member := item[p.Name]
	switch {
	case p.Kind == mapping.Image || p.Kind == mapping.Terms || p.Kind == mapping.Links:
		return b.preservedIDs(p, member).text
	case p.Kind == mapping.Untyped:
		value, _ := b.preserved(p, item)
		return value.text
	case p.Kind == mapping.Boolean || p.Kind == mapping.TextLike:
		return mapping.ShownFlag(member)
	case p.Kind == mapping.DateTime && p.Zone == mapping.SiteZone && isUndated(item):
		return "" // a draft shows the time of the last change
	case p.Kind == mapping.Text: // the legacy writes characters of an address as entities, by chance
		return html.UnescapeString(jsonscan.Text(member))
	}
	return jsonscan.Text(member)
}

// applied reports whether an item shows the value that was written.
func (b backend) applied(a *mapping.Written, former, now map[string]jsontext.Value) bool {
	p := a.Param
	current := b.normalizedValue(p, now)
	switch {
	case p.Kind == mapping.DateTime:
		return appliedDate(a, now)
	case p.Kind == mapping.Terms || p.Kind == mapping.Links:
		return b.appliedLinks(a, now[p.Name])
	case p.Kind == mapping.Boolean || p.Kind == mapping.Integer || p.Known != nil || p.Name == mapping.TimezoneParam.Name:
		return a.Text == current || a.Text == "" || a.Text == "0" // the legacy replaces an empty status or zone
	case p.Kind == mapping.Image: // which may be named by URL
		_, isID := mapping.ParseID(a.Text)
		return isID && a.Text == current || !isID && (a.Text == "") == (current == "")
	case p.Kind == mapping.TextLike:
		requested, _ := mapping.ParseBool(a.Text)
		isSet, _ := mapping.ParseBool(current)
		return requested == isSet
	case p.Kind == mapping.Untyped:
		return siteurl.Written(a.Text) == current
	case p.Kind == mapping.Price && !hasSigns(current+string(now[p.Name+mapping.DetailsSuffix]), a.Text):
		return false
	case former == nil || current != b.normalizedValue(p, former):
		return true
	case p.Kind == mapping.Price:
		return samePrice(a.Text, current, now[p.Name+mapping.DetailsSuffix])
	case p.Kind == mapping.Slug:
		return !mapping.IsASCII(a.Text) || mapping.SafeSlug(a.Text) == current
	}
	return plainWords(a.Text) == plainWords(current)
}

// appliedDate compares dates that name a day. Dates relative to the current time are not compared.
func appliedDate(a *mapping.Written, now map[string]jsontext.Value) bool {
	if !a.At.IsZero() && a.Param.Zone == mapping.EventZone && mapping.ShownFlag(now[mapping.AllDayParam.Name]) != "true" {
		return jsonscan.Text(now[mapping.UTCPrefix+a.Param.Name]) == a.At.UTC().Format(time.DateTime)
	}
	if !dates.IsCanonical(a.Text) {
		return true
	}
	date := jsonscan.Text(now[a.Param.Name])
	if a.Param.Zone == mapping.EventZone && mapping.ShownFlag(now[mapping.AllDayParam.Name]) == "true" {
		if a.Param.After != "" {
			date = lastDay(jsonscan.Text(now[a.Param.After]), date)
		}
		return dates.Day(date) == dates.Day(a.Text)
	}
	return date == dates.WithTime(a.Text)
}

// appliedLinks reports whether an item shows all links that were written, and no others.
func (b backend) appliedLinks(a *mapping.Written, links jsontext.Value) bool {
	elements := jsonscan.AsList(jsontext.Value(a.JSON))
	items := jsonscan.AsList(links)
	missing := func(w jsontext.Value) bool {
		return !slices.ContainsFunc(items, func(item jsontext.Value) bool { return b.names(a.Param, w, item) })
	}
	extra := func(item jsontext.Value) bool {
		return !slices.ContainsFunc(elements, func(w jsontext.Value) bool { return b.names(a.Param, w, item) })
	}
	return !slices.ContainsFunc(elements, missing) && !slices.ContainsFunc(items, extra)
}

// names reports whether w, an element of a field, names an item: by id, name or slug. Names that are looked up
// are sent only if they are new, and the item has the name.
func (b backend) names(p *mapping.Param, w, item jsontext.Value) bool {
	name := mapping.NameField(p.Of)
	if w.Kind() == '{' {
		id := jsonscan.Get(w, mapping.IDParam.Name)
		if id != nil {
			w = id
		} else {
			w = jsonscan.Get(w, name)
		}
	}
	linked, _ := mapping.LinkedID(item)
	text := jsonscan.Text(w)
	if w.Kind() != '"' || text == b.IDs.Legacy(p.Of, linked) {
		return text == b.IDs.Legacy(p.Of, linked)
	}
	return plainWords(text) == plainWords(jsonscan.Text(jsonscan.Get(item, name))) ||
		(!p.LookedUp || mapping.IsASCII(text)) && mapping.HasSlug(text, item)
}
