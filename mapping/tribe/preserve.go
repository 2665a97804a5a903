package tribe

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// preserves reports whether the legacy would reset p. The other date of publication, or the state and the
// province of an address, have the same meaning in another form.
func (b backend) preserves(c *mapping.Call, p *mapping.Param) bool {
	return p.Preserve && !b.AsIs && !c.Named(p.Name) && !slices.ContainsFunc(c.Fields, func(a mapping.Written) bool {
		return a.Param.Kind == p.Kind && slices.Contains(a.Param.Moves, p.Name)
	})
}

// publishesNow reports whether the call publishes a scheduled item: the date of publication becomes now, as on
// the legacy, and the scheduled date is dropped.
func publishesNow(c *mapping.Call, p *mapping.Param, item map[string]jsontext.Value) bool {
	status := c.Field(mapping.StatusName)
	return p.Kind == mapping.DateTime && status != nil && status.Text == published && jsonscan.Text(item[mapping.StatusName]) == scheduled
}

// WordPress's statuses of items that everybody sees, and will see.
const (
	published = "publish"
	scheduled = "future"
)

// undated are the statuses in which an item may have no date of publication.
var undated = []string{"draft", "pending"}

// needsBeside reports whether p is missing beside one of the fields named.
func needsBeside(c *mapping.Call, p *mapping.Param, named func(string) bool) bool {
	return !c.Named(p.Name) && slices.ContainsFunc(p.Beside, named)
}

// unlinks reports whether the call removes a link that the legacy only replaces.
func unlinks(c *mapping.Call, p *mapping.Param) bool {
	field := c.Field(p.Name)
	return p.Single && field != nil && field.JSON == mapping.NoLinks
}

// preserved returns the value that an update must send so that p does not change; ok is false if p does not
// change without a value.
func (b backend) preserved(p *mapping.Param, item map[string]jsontext.Value) (v value, ok bool) {
	member := item[p.Name]
	text := jsonscan.Text(member)
	v = textValue(text)
	switch p.Kind {
	case mapping.Boolean: // the legacy resets flags to false, and a venue's to true
		return value{text: "true", json: "true"}, mapping.ShownFlag(member) == "true"
	case mapping.TextLike:
		return textValue("false"), mapping.ShownFlag(member) == "false"
	case mapping.Image, mapping.Links:
		v = b.preservedIDs(p, member)
	case mapping.Price:
		v = preservedPrice(text, item[p.Name+mapping.DetailsSuffix])
	case mapping.Untyped: // a URL: the site shows some non-ASCII URLs that it refuses in writes
		v = textValue(siteurl.Written(text))
		if siteurl.SamePage([]byte(text), []byte(jsonscan.Text(item[mapping.PageURLName]))) {
			return value{}, false // the legacy's default, which the legacy does not store
		}
	case mapping.DateTime: // a draft has no date before publication
		return v, text != "" && !isUndated(item)
	}
	return v, v.text != ""
}

// unreadable reports whether an item shows p in a form that an update cannot preserve: the legacy would publish
// an item without a status, and remove an image or an organizer that has no id.
func (b backend) unreadable(p *mapping.Param, member jsontext.Value) bool {
	switch {
	case p.Name == mapping.StatusName:
		return jsonscan.Text(member) == ""
	case p.Kind != mapping.Image && p.Kind != mapping.Links, slices.Contains([]string{"", "false", "null", `""`, "0", `"0"`}, string(member)):
		return false
	}
	return slices.ContainsFunc(jsonscan.AsList(member), func(item jsontext.Value) bool {
		_, ok := mapping.LinkedID(item)
		return !ok
	})
}

// asShown returns a field that is named. A price or an address in the form that the item shows is sent in the
// stored form, since the legacy reads the shown form as another value.
func (b backend) asShown(a mapping.Written, item map[string]jsontext.Value) mapping.Written {
	p := a.Param
	if (p.Kind == mapping.Price || p.Kind == mapping.Untyped) && !b.AsIs && a.Text == jsonscan.Text(item[p.Name]) {
		if v, ok := b.preserved(p, item); ok {
			a.Text = v.text
			a.JSON = v.json
		}
	}
	return a
}

// isUndated reports whether an item has no date of publication yet. Such an item shows the time of the last
// change, and the year 0 in UTC.
func isUndated(item map[string]jsontext.Value) bool {
	return strings.HasPrefix(jsonscan.Text(item[mapping.DateUTCParam.Name]), "0000")
}

// namesDate reports whether p is a date of publication that the call names.
func namesDate(c *mapping.Call, p *mapping.Param) bool {
	return p.Kind == mapping.DateTime && p.Zone != mapping.EventZone && c.Named(p.Name)
}

// datesDraft reports whether the call names a date of publication and a status that permits items without that
// date.
func datesDraft(c *mapping.Call, p *mapping.Param) bool {
	status := c.Field(mapping.StatusName)
	return namesDate(c, p) && status != nil && slices.Contains(undated, status.Text)
}

// staysUndated reports whether an item has no date of publication, and the update does not publish the item.
// The legacy ignores a date then (recordings update-dates-of-draft-*, update-dates-of-pending-*).
func staysUndated(c *mapping.Call, item map[string]jsontext.Value) bool {
	status := jsonscan.Text(item[mapping.StatusName])
	a := c.Field(mapping.StatusName)
	if a != nil {
		status = a.Text
	}
	return isUndated(item) && slices.Contains(undated, status)
}

// preservedIDs returns the ids of an object or of a list of objects, in the type of p.
func (b backend) preservedIDs(p *mapping.Param, member jsontext.Value) value {
	var ids []string
	for _, item := range jsonscan.AsList(member) {
		if id, ok := mapping.LinkedID(item); ok {
			ids = append(ids, b.IDs.Legacy(p.IDResource(), id))
		}
	}
	if p.Kind == mapping.Links {
		list := strings.Join(ids, ",")
		return value{text: list, json: "[" + list + "]"}
	}
	return textValue(strings.Join(ids, ","))
}
