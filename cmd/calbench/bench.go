package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// bench runs the measurements of the settings, reports its progress and writes the
// report.
func bench(ctx context.Context, s settings, stdout, stderr io.Writer) (err error) {
	if !installed("wrk") {
		return errors.New("wrk is missing (apt-get install wrk)")
	}
	m, err := newMachine(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.stop()) }()
	b := &lab{settings: s, machine: m, servers: map[string]*server{}, failed: map[string]error{}, tags: map[string]string{}, sizes: map[string]int{}, eventID: "129"}
	r := newReport(s)
	if err := b.open(ctx); err != nil {
		return err
	}
	for _, g := range groups {
		if !s.wants(g.name) {
			continue
		}
		for _, body := range []string{bodyList, bodySingle} {
			got, err := b.measure(ctx, g, body, stderr)
			if err != nil {
				return err
			}
			r.addGroup(g, body, got)
		}
	}
	for _, one := range []string{groupParts, groupMemory, groupIdle, groupAttack, groupPurges} {
		if s.wants(one) && (one != groupPurges || installed("redis-server")) {
			checks, err := b.count(ctx, one)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.addChecks(one, checks, err)
		}
	}
	text := r.text(b)
	_, _ = io.WriteString(stdout, text)
	if s.output != "" {
		err = os.WriteFile(s.output, []byte(text), 0o644)
	}
	if len(r.failed) > 0 {
		err = errors.Join(err, fmt.Errorf("%d measurements failed; the report has the others", len(r.failed)))
	}
	return err
}

// count measures a group of checks, most of them in a process that prints them.
func (b *lab) count(ctx context.Context, name string) ([]check, error) {
	switch name {
	case groupIdle:
		return b.idle(ctx)
	case groupAttack:
		return b.attack(ctx)
	case groupPurges:
		return b.purges(ctx)
	}
	args := map[string][]string{
		groupParts:  {"micro"},
		groupMemory: {"fill", "-origin", b.servers["origin"].url},
	}[name]
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	out, err := b.machine.command(ctx, b.machine.self, args...).Output()
	if err != nil {
		return nil, err
	}
	var checks []check
	return checks, json.Unmarshal(out, &checks)
}
