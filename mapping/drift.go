package mapping

import (
	"html"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Drift is a field in which an update did something else than requested.
type Drift struct {
	Field string
	Kind  DriftKind
}

// DriftKind is a way in which a field drifts.
type DriftKind string

// The kinds.
const (
	Changed    DriftKind = "changed"     // not named, and no longer what it was
	NotApplied DriftKind = "not_applied" // named, and not what it was to become
)

// DriftKinds lists all kinds.
var DriftKinds = []DriftKind{Changed, NotApplied}

// DriftFields are the names of all fields that can drift, sorted.
func DriftFields() []string {
	var names []string
	for _, of := range items {
		for _, p := range of.fields {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Drift compares the legacy's response to an update with the update, and
// with the item as it was before, where that was read ([Call.Found]). requested is the
// call as the client made it, sent the one that was translated. The fields are in the
// table's order.
//
// The legacy marks up what people write and makes slugs unique. So of a text, a slug
// and a price it only reports that they did not change.
func (b Backend) Drift(requested, sent *Call, response []byte) []Drift {
	now, err := jsonscan.Members(response)
	if err != nil || requested.Endpoint.Action != Update || !b.Dialect.WordPress {
		return nil
	}
	var before map[string]jsontext.Value // nil where nothing was read
	if sent.Found != nil {
		before, _ = jsonscan.Members(sent.Found)
	}
	var drifts []Drift
	for _, p := range requested.Endpoint.Fields {
		if requested.Named(p.Name) {
			if a := sent.Field(p.Name); a != nil && !b.applied(a, before, now) {
				drifts = append(drifts, Drift{p.Name, NotApplied})
			}
			continue
		}
		if before != nil && !requested.moves(p) && !b.unchanged(sent, p, before, now) {
			drifts = append(drifts, Drift{p.Name, Changed})
		}
	}
	return drifts
}

// unchanged reports whether an item has of p what it had before the update sent.
func (b Backend) unchanged(sent *Call, p *Param, before, now map[string]jsontext.Value) bool {
	if a := sent.Field(p.Name); a != nil && a.Lossy {
		return false
	}
	shown, details := b.shown(p, now), p.Name+DetailsSuffix // the amounts and the currency, which a price need not show
	return shown == b.shown(p, before) && (p.Kind != Price || samePriceDetails(shown, before[details], now[details]))
}

// Losses returns the faults of an update whose client accepts no drift: fields that it does not name, and
// that may not stay as they are. nil is none.
func (c *Call) Losses() error {
	var faults Faults
	for _, a := range c.Fields {
		if a.Lossy {
			faults = append(faults, *a.Param.Fault(CodeInvalid, "lossy"))
		}
	}
	if faults == nil {
		return nil
	}
	return faults
}

// moves reports whether a field that the call names changes p along with it.
func (c *Call) moves(p *Param) bool {
	return slices.ContainsFunc(c.Fields, func(a Written) bool { return slices.Contains(a.Param.Moves, p.Name) })
}

// shown returns what item has of p, in a form that compares.
func (b Backend) shown(p *Param, item map[string]jsontext.Value) string {
	shown := item[p.Name]
	switch {
	case p.Kind == Image || p.Kind == Terms || p.Kind == Links:
		return b.preservedIDs(p, shown).text
	case p.Kind == Untyped:
		value, _ := b.preserved(p, item)
		return value.text
	case p.Kind == Boolean || p.Kind == TextLike:
		return ShownFlag(shown)
	case p.Kind == DateTime && p.Zone == SiteZone && isUndated(item):
		return "" // a draft shows when it was changed
	case p.Kind == Text: // the legacy writes characters of an address as entities, by chance
		return html.UnescapeString(jsonscan.Text(shown))
	}
	return jsonscan.Text(shown)
}

// applied reports whether an item shows what was written.
func (b Backend) applied(a *Written, before, now map[string]jsontext.Value) bool {
	p, shown := a.Param, b.shown(a.Param, now)
	switch {
	case p.Kind == DateTime:
		return a.appliedDate(now)
	case p.Kind == Terms || p.Kind == Links:
		return b.appliedLinks(a, now[p.Name])
	case p.Kind == Boolean || p.Kind == Integer || p.Known != nil || p.Name == TimezoneParam.Name:
		return a.Text == shown || a.Text == "" || a.Text == "0" // of an empty status or zone the legacy makes its own
	case p.Kind == Image: // which may be named by its URL
		_, isID := ParseID(a.Text)
		return isID && a.Text == shown || !isID && (a.Text == "") == (shown == "")
	case p.Kind == TextLike:
		want, _ := ParseBool(a.Text)
		have, _ := ParseBool(shown)
		return want == have
	case p.Kind == Untyped:
		return siteurl.Written(a.Text) == shown
	case p.Kind == Price && !hasSigns(shown+string(now[p.Name+DetailsSuffix]), a.Text):
		return false
	case before == nil || shown != b.shown(p, before):
		return true
	case p.Kind == Price:
		return samePrice(a.Text, shown, now[p.Name+DetailsSuffix])
	case p.Kind == Slug:
		return !IsASCII(a.Text) || SafeSlug(a.Text) == shown
	}
	return plainWords(a.Text) == plainWords(shown)
}

// appliedDate compares dates that name a day. What depends on a clock is not
// compared.
func (a *Written) appliedDate(now map[string]jsontext.Value) bool {
	if !a.At.IsZero() && a.Param.Zone == EventZone && ShownFlag(now[AllDayParam.Name]) != "true" {
		return jsonscan.Text(now[UTCPrefix+a.Param.Name]) == a.At.UTC().Format(time.DateTime)
	}
	if !dates.IsCanonical(a.Text) {
		return true
	}
	shown := jsonscan.Text(now[a.Param.Name])
	if a.Param.Zone == EventZone && ShownFlag(now[AllDayParam.Name]) == "true" {
		if a.Param.After != "" {
			shown = lastDay(jsonscan.Text(now[a.Param.After]), shown)
		}
		return dates.Day(shown) == dates.Day(a.Text)
	}
	return shown == dates.WithTime(a.Text)
}

// appliedLinks reports whether an item shows all that was written, and nothing else.
func (b Backend) appliedLinks(a *Written, shown jsontext.Value) bool {
	written, have := jsonscan.AsList(jsontext.Value(a.JSON)), jsonscan.AsList(shown)
	missing := func(w jsontext.Value) bool {
		return !slices.ContainsFunc(have, func(item jsontext.Value) bool { return b.names(a.Param, w, item) })
	}
	extra := func(item jsontext.Value) bool {
		return !slices.ContainsFunc(written, func(w jsontext.Value) bool { return b.names(a.Param, w, item) })
	}
	return !slices.ContainsFunc(written, missing) && !slices.ContainsFunc(have, extra)
}

// names reports whether w, an element of a field, names an item: by its id, its name
// or its slug. Names that are looked up are new ones when they are sent, and the item has the name.
func (b Backend) names(p *Param, w, item jsontext.Value) bool {
	name := NameField(p.Of)
	if w.Kind() == '{' {
		if by := jsonscan.Get(w, IDParam.Name); by != nil {
			w = by
		} else {
			w = jsonscan.Get(w, name)
		}
	}
	found, _ := LinkedID(item)
	text := jsonscan.Text(w)
	if w.Kind() != '"' || text == b.IDs.Legacy(p.Of, found) {
		return text == b.IDs.Legacy(p.Of, found)
	}
	return plainWords(text) == plainWords(jsonscan.Text(jsonscan.Get(item, name))) ||
		(!p.LookedUp || IsASCII(text)) && HasSlug(text, item)
}

// HasSlug reports whether an item has the slug that a text names.
func HasSlug(text string, item jsontext.Value) bool {
	return SameSlug(text, jsonscan.Text(jsonscan.Get(item, SlugParam.Name)))
}

// NameField is the field that every item of a resource must have: its name.
func NameField(resource string) string {
	fields := FieldsOf(resource)
	return fields[slices.IndexFunc(fields, func(p *Param) bool { return p.Required })].Name
}
