package main

import (
	"context"
	"fmt"
	"io"
)

// measure runs the rows of a group one after the other, in each of the rounds of the settings.
func (b *lab) measure(ctx context.Context, g group, body string, progress io.Writer) ([]measured, error) {
	if err := b.prepare(ctx, g); err != nil {
		return nil, err
	}
	t := rounds{samples: map[string][]sample{}, failed: map[string]error{}}
	for round := range b.settings.runs {
		_, _ = fmt.Fprintf(progress, "%s, %s: round %d of %d\n", g.title, body, round+1, b.settings.runs)
		for _, r := range g.rows {
			s, err := b.servers[r.server], b.failed[r.server]
			if t.failed[r.name] != nil || s == nil && err == nil || r.request == "http2" && !installed("h2load") {
				continue
			}
			var got sample
			if err == nil {
				got, err = b.round(ctx, g, r, s, body)
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			t.add(r.name, got, err)
			if err != nil {
				_, _ = fmt.Fprintf(progress, "%s, %s: %v\n", r.name, body, err)
			}
		}
	}
	return t.rows(g, body), b.delay(0)
}

// round runs one row once, and counts the requests that reach the origin.
func (b *lab) round(ctx context.Context, g group, r row, s *server, body string) (sample, error) {
	connections := g.connections
	if r.few {
		connections = fewConnections
	}
	l, err := b.loadOf(body, r.server, r.request, connections)
	if err != nil {
		return sample{}, err
	}
	before, err := b.answered()
	if err != nil {
		return sample{}, err
	}
	b.rounds++
	got, err := b.machine.drive(ctx, s, l, max(b.settings.seconds, g.minimum), b.rounds*10_000_000)
	if err != nil {
		return sample{}, err
	}
	after, err := b.answered()
	got.fetched = float64(after-before) / float64(got.requests)
	return got, err
}
