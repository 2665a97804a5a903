package mapping

import (
	"context"
	"strings"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Neutral is the dialect of clients. A backend with this dialect needs no translation, only links of the facade
// in its responses.
var Neutral = &Dialect{
	Namespace:     Namespace,
	LanguageParam: Language.Name,
	Total:         "X-Calendar-Total",
	TotalPages:    "X-Calendar-Totalpages",
	Client:        func(b Backend, l Line) Client { return neutralClient{backend: b, line: l} },
}

type neutralClient struct {
	backend Backend
	line    Line
}

// Do implements [Client].
func (n neutralClient) Do(ctx context.Context, c *Call) (Reply, error) {
	_, request := n.Preview(c)
	return n.line.Send(ctx, c, request)
}

// Preview implements [Client].
func (n neutralClient) Preview(c *Call) (lookup, request Request) {
	return Request{}, n.backend.Translate(c, n.line.Language)
}

// Translate returns the request for c to a backend that has the table's paths, names and fields. language is
// the value of the backend's language parameter; "" leaves the parameter out.
func (b Backend) Translate(c *Call, language string) Request {
	c = b.IDs.Outgoing(c)
	r := Request{
		Method: c.Method,
		Path:   "/" + b.Dialect.Namespace + c.Path(),
		Header: b.Dialect.Header,
		Slug:   c.Endpoint.BySlug,
	}
	query := make([]string, 0, len(c.Query)+1)
	members := make([]string, 0, len(c.Fields)+1)
	for _, a := range c.Query {
		switch {
		case a.Param == &Language:
		case c.Endpoint.Action == Update: // a secret belongs into the body, if the request has a body
			members = append(members, jsonscan.Quote(a.Param.Name)+":"+jsonscan.Quote(a.Text))
		case !a.IsDefault() || a.Param.Sent:
			query = append(query, a.pair())
		}
	}
	r.Query = b.WithLanguage(strings.Join(query, "&"), language)
	if c.Endpoint.Action == Create || c.Endpoint.Action == Update {
		for _, a := range c.Fields {
			if c.Endpoint.Action == Update || a.JSON != NoLinks { // a new item has no links
				members = append(members, jsonscan.Quote(a.Param.Name)+":"+a.JSON)
			}
		}
		r.Body = []byte("{" + strings.Join(members, ",") + "}")
	}
	return r
}
