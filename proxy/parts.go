package proxy

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// union reads a list in parts, one after the other. If one of them fails, so does the call.
func (b *backend) union(ctx context.Context, c backendCall, u *mapping.Union, record *calls) (upstream.Response, error) {
	var first mapping.Reply
	var deadline time.Time
	for {
		part, err := u.Next()
		if err != nil {
			return upstream.Response{}, unusable(c.call, err)
		}
		if part == nil {
			break
		}
		got, err := b.perform(ctx, c.with(part), record)
		if err != nil || got.Status != http.StatusOK && part.Page() == 1 {
			return got, err
		}
		if got.Status == http.StatusOK {
			err = u.Add(part, got.Body)
		} else {
			err = fmt.Errorf("upstream status %d for a part of a list", got.Status)
		}
		if err != nil {
			return upstream.Response{}, unusable(c.call, err)
		}
		deadline = got.Deadline
		if first.Header == nil {
			first.Header = got.Header.Clone()
			continue
		}
		restrict(first.Header, got.Header)
	}
	if past := u.Past(); past != nil {
		return b.perform(ctx, c.with(past), record)
	}
	made := u.Reply(b.dialect, first)
	return upstream.Response{Status: made.Status, Header: made.Header, Body: made.Body, Deadline: deadline}, nil
}

// restrict adds what forbids to share or store a response.
func restrict(h, more http.Header) {
	for _, name := range []string{"Cache-Control", "Set-Cookie", "Vary", "Pragma"} {
		for _, value := range more[name] {
			if !slices.Contains(h[name], value) {
				h[name] = append(h[name], value)
			}
		}
	}
}
