package mapping

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// preserves reports whether the legacy would reset p. The other date of publication, or the state and the
// province of an address, have the same meaning in another form.
func (b Backend) preserves(c *Call, p *Param) bool {
	return p.Preserve && !b.AsIs && !c.Named(p.Name) && !slices.ContainsFunc(c.Fields, func(a Written) bool {
		return a.Param.Kind == p.Kind && slices.Contains(a.Param.Moves, p.Name)
	})
}

// publishesNow reports whether the call publishes a scheduled item: its date of
// publication becomes now, as the legacy has it, and the scheduled one is dropped.
func (c *Call) publishesNow(p *Param, item map[string]jsontext.Value) bool {
	status := c.Field(StatusName)
	return p.Kind == DateTime && status != nil && status.Text == published && jsonscan.Text(item[StatusName]) == scheduled
}

const StatusName = "status"

// WordPress's statuses of items that everybody sees, and will see.
const (
	published = "publish"
	scheduled = "future"
)

// undated are the statuses in which an item may have no date of publication.
var undated = []string{"draft", "pending"}

// needsBeside reports whether p is missing beside one of the fields named.
func (c *Call) needsBeside(p *Param, named func(string) bool) bool {
	return !c.Named(p.Name) && slices.ContainsFunc(p.Beside, named)
}

// unlinks reports whether the call removes what the legacy only replaces.
func (c *Call) unlinks(p *Param) bool {
	field := c.Field(p.Name)
	return p.Single && field != nil && field.JSON == NoLinks
}

// preserved returns the value that an update must send so that p does not change; ok is
// false if it does not change without one.
func (b Backend) preserved(p *Param, item map[string]jsontext.Value) (v value, ok bool) {
	shown := item[p.Name]
	text := jsonscan.Text(shown)
	switch v = textValue(text); p.Kind {
	case Boolean: // the legacy resets flags to false, and a venue's to true
		return boolean(true), ShownFlag(shown) == "true"
	case TextLike:
		return textValue("false"), ShownFlag(shown) == "false"
	case Image, Links:
		v = b.preservedIDs(p, shown)
	case Price:
		v = preservedPrice(text, item[p.Name+DetailsSuffix])
	case Untyped: // a URL: the site shows some that are not ASCII, and refuses them when they are sent back
		v = textValue(siteurl.Written(text))
		if siteurl.SamePage([]byte(text), []byte(jsonscan.Text(item[PageURLName]))) {
			return value{}, false // the legacy's default, which it does not store
		}
	case DateTime: // a draft has none before it is published
		return v, text != "" && !isUndated(item)
	}
	return v, v.text != ""
}

// unreadable reports whether an item shows p in a form from which an update cannot preserve it: the legacy
// would publish an item without a status, and remove an image or an organizer that has no id.
func (b Backend) unreadable(p *Param, shown jsontext.Value) bool {
	switch {
	case p.Name == StatusName:
		return jsonscan.Text(shown) == ""
	case p.Kind != Image && p.Kind != Links, slices.Contains([]string{"", "false", "null", `""`, "0", `"0"`}, string(shown)):
		return false
	}
	return slices.ContainsFunc(jsonscan.AsList(shown), func(item jsontext.Value) bool {
		_, ok := LinkedID(item)
		return !ok
	})
}

// ShownFlag returns a flag that an item shows as true or false: a plugin may make 1 or "1" of it, and 0 or
// "", which is false as a text of PHP.
func ShownFlag(shown jsontext.Value) string {
	if yes, ok := ParseBool(jsonscan.Text(shown)); ok || string(shown) == `""` {
		return boolean(yes).text
	}
	return string(shown)
}

// asShown returns a field that is named. A price or an address in the form that the item shows is
// sent as the item has it, since the legacy reads that form as another value.
func (b Backend) asShown(a Written, item map[string]jsontext.Value) Written {
	p := a.Param
	if (p.Kind == Price || p.Kind == Untyped) && !b.AsIs && a.Text == jsonscan.Text(item[p.Name]) {
		if v, ok := b.preserved(p, item); ok {
			a.Text, a.JSON = v.text, v.asJSON()
		}
	}
	return a
}

// isUndated reports whether an item has no date of publication yet. It shows when it
// was changed then, and the year 0 in UTC.
func isUndated(item map[string]jsontext.Value) bool {
	return strings.HasPrefix(jsonscan.Text(item[DateUTCParam.Name]), "0000")
}

// dates reports whether p is a date of publication that the call names.
func (c *Call) dates(p *Param) bool {
	return p.Kind == DateTime && p.Zone != EventZone && c.Named(p.Name)
}

// datesDraft reports whether the call names a date of publication and a status with which an item may
// have none.
func (c *Call) datesDraft(p *Param) bool {
	status := c.Field(StatusName)
	return c.dates(p) && status != nil && slices.Contains(undated, status.Text)
}

// staysUndated reports whether an item has no date of publication, and an update that does not
// publish it. The legacy ignores a date then (recordings update-dates-of-draft-*,
// update-dates-of-pending-*).
func (c *Call) staysUndated(item map[string]jsontext.Value) bool {
	status := jsonscan.Text(item[StatusName])
	if a := c.Field(StatusName); a != nil {
		status = a.Text
	}
	return isUndated(item) && slices.Contains(undated, status)
}

// preservedIDs returns the ids of an object or a list of them, in the type of p.
func (b Backend) preservedIDs(p *Param, shown jsontext.Value) value {
	var ids []string
	for _, item := range jsonscan.AsList(shown) {
		if found, ok := LinkedID(item); ok {
			ids = append(ids, b.IDs.Legacy(p.IDResource(), found))
		}
	}
	if p.Kind == Links {
		return jsonList(ids)
	}
	return textValue(strings.Join(ids, ","))
}
