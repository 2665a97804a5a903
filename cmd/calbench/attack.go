package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// attackedMemory is the default cache.memory of the attacked facade, and attackedMost
// the limit of its process.
const (
	attackedMemory = 256 << 20
	attackedMost   = attackedMemory*3/2 + 64_000_000
)

// attack makes the memory of a facade grow by reads, and returns the resident memory of
// its process after each kind of attack.
func (b *lab) attack(ctx context.Context) ([]check, error) {
	s, err := b.machine.role(ctx, "facade", "-lane", "-origin", b.servers["origin"].url)
	if err != nil {
		return nil, err
	}
	a := attacker{address: strings.TrimPrefix(s.url, "http://"), base: "/wp-json/" + mapping.Namespace}
	// taskset execs the program, which so has its process id.
	resident := func() float64 { return float64(residentOf(s.cmd.Process.Pid)) / 1e6 }
	checks := []check{{Name: "resident after the start", Got: resident(), Unit: "MB"}}
	for _, kind := range []struct {
		name string
		make func() error
	}{
		{"after 10,000 targets of one hit, each in four forms", func() error { return a.spell(10_000) }},
		{"then 250 responses 404 of 2 MB", func() error { return a.each("/venues/%d", 250) }},
		{"then 20,000 lists, more than fit", func() error { return a.each("/events"+listQuery+"&search=%d", 20_000) }},
	} {
		if err := kind.make(); err != nil {
			return nil, err
		}
		checks = append(checks, check{Name: kind.name, Got: resident(), Unit: "MB", Limit: attackedMost / 1_000_000})
	}
	return checks, ctx.Err()
}

// attacker sends requests to one facade.
type attacker struct{ address, base string }

// spell requests one event by n targets: once plainly, so that the target is known, and
// once in each form.
func (a attacker) spell(n int) error {
	forms := []string{"", "Accept-Encoding: gzip\r\n", "If-None-Match: *\r\n", "Origin: https://a.example\r\n"}
	const together = 20
	for i := 0; i < n; i += together {
		var targets []string
		for j := range together {
			targets = append(targets, fmt.Sprintf("/events/1?x=%0900d", i+j))
		}
		if err := a.send(targets, ""); err != nil {
			return err
		}
		for _, form := range forms {
			if err := a.send(targets, form); err != nil {
				return err
			}
		}
	}
	return nil
}

// each requests n different items.
func (a attacker) each(path string, n int) error {
	const together = 10
	for i := 0; i < n; i += together {
		var targets []string
		for j := range together {
			targets = append(targets, fmt.Sprintf(path, i+j+1))
		}
		if err := a.send(targets, ""); err != nil {
			return err
		}
	}
	return nil
}

// send requests all targets on one connection, pipelined.
func (a attacker) send(targets []string, fields string) error {
	c, err := net.DialTimeout("tcp", a.address, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	var b strings.Builder
	for _, t := range targets {
		_, _ = fmt.Fprintf(&b, "GET %s%s HTTP/1.1\r\nHost: x\r\n%s\r\n", a.base, t, fields)
	}
	if _, err := io.WriteString(c, b.String()); err != nil {
		return err
	}
	for answers := bufio.NewReader(c); len(targets) > 0; targets = targets[1:] {
		res, err := http.ReadResponse(answers, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return err
		}
		if res.StatusCode >= http.StatusInternalServerError {
			return fmt.Errorf("%s: %s", targets[0], res.Status)
		}
	}
	return nil
}
