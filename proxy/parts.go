package proxy

import (
	"context"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// union reads a list in parts, one after the other. If one of them fails, so does the call.
func (b *backend) union(ctx context.Context, c backendCall, parts []*mapping.Call, record *calls) (upstream.Response, error) {
	var got upstream.Response
	made, err := b.dialect.Unite(c.call, parts, func(part *mapping.Call) (_ mapping.Reply, err error) {
		got, err = b.perform(ctx, c.with(part), record)
		return mapping.Reply{Status: got.Status, Header: got.Header, Body: got.Body}, err
	})
	if err != nil {
		return upstream.Response{}, unusable(c.call, err)
	}
	return upstream.Response{Status: made.Status, Header: made.Header, Body: made.Body, Deadline: got.Deadline}, nil
}
