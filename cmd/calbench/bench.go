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
	unfinished := b.measureAll(ctx, r, stderr)
	text := r.text(b)
	_, _ = io.WriteString(stdout, text)
	if s.output != "" {
		err = os.WriteFile(s.output, []byte(text), 0o644)
	}
	if len(r.failed) > 0 {
		err = errors.Join(err, fmt.Errorf("%d measurements failed; the report has the others", len(r.failed)))
	}
	return errors.Join(err, unfinished)
}

// measureAll measures the groups that the settings want, until ctx ends: what was measured by then
// is reported.
func (b *lab) measureAll(ctx context.Context, r *report, stderr io.Writer) error {
	for _, g := range groups {
		if !b.settings.wants(g.name) {
			continue
		}
		for _, body := range []string{bodyList, bodySingle} {
			got, err := b.measure(ctx, g, body, stderr)
			if err != nil {
				return r.interrupt(g.title+": "+body, err)
			}
			r.addGroup(g, body, got)
		}
	}
	for _, one := range []string{groupParts, groupMemory, groupIdle, groupAttack, groupLooks, groupPurges} {
		if !b.settings.wants(one) || (one == groupPurges || one == groupLooks) && !installed("redis-server") {
			continue
		}
		_, _ = fmt.Fprintf(stderr, "%s\n", one)
		checks, err := b.count(ctx, one)
		if ctx.Err() != nil {
			return r.interrupt(one, ctx.Err())
		}
		r.addChecks(one, checks, err)
	}
	return nil
}

// count measures a group of checks, most of them in a process that prints them.
func (b *lab) count(ctx context.Context, name string) ([]check, error) {
	switch name {
	case groupIdle:
		return b.idle(ctx)
	case groupAttack:
		return b.attack(ctx)
	case groupLooks:
		return b.commands(ctx)
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
