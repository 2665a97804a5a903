package tec

import (
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

func restURL(m *converter, resource string, _ map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	return m.restLink(resource, string(v))
}

func termURLs(m *converter, resource string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	urls := fmt.Sprintf(`"self":%s,"collection":%s`, m.restLink(resource, string(v)), m.restLink(resource))
	if parent := item["parent"]; parent.Kind() == jsontext.KindNumber && string(parent) != "0" {
		urls += fmt.Sprintf(`,"up":%s`, m.restLink(resource, string(parent)))
	}
	return jsontext.Value("{" + urls + "}")
}

// globalID is the host of the item's page and its id.
func globalID(_ *converter, _ string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	host := ""
	if u, err := url.Parse(jsonscan.Text(v)); err == nil {
		host = u.Hostname()
	}
	return jsontext.Value(jsonscan.Quote(host + "?id=" + string(item[mapping.IDParam.Name])))
}

func lineage(m *converter, resource string, item map[string]jsontext.Value, v jsontext.Value) jsontext.Value {
	return jsontext.Value("[" + string(globalID(m, resource, item, v)) + "]")
}
