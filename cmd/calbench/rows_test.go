package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestBases: every row is compared with one of its own group.
func TestBases(t *testing.T) {
	for _, g := range groups {
		names := map[string]bool{"": true}
		for _, r := range g.rows {
			names[r.name] = true
			if !names[r.base] {
				t.Errorf("%s: %s has the base %q, which is not before it", g.name, r.name, r.base)
			}
		}
		for _, r := range g.targets {
			if !names[r.name] || r.base == "" || !names[r.base] || r.limit == nil {
				t.Errorf("%s: no such target: %+v", g.name, r)
			}
		}
	}
}

// TestFigures: rows without limits keep their requests and bases.
func TestFigures(t *testing.T) {
	rows := []row{{name: "a", request: "plain", limit: both(1)}, {name: "b", request: "gzip", base: "a"}, {name: "c", request: "304", base: "a", limit: both(2)}}
	var names []string
	for _, r := range figures(rows, "plain", "304") {
		names = append(names, r.name+" "+r.base)
		if r.limit != nil {
			t.Errorf("%s has a target", r.name)
		}
	}
	if want := []string{"a ", "c a"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if rows[0].limit == nil {
		t.Error("the rows themselves lost their targets")
	}
}

// TestGroupNames: each name selects one group.
func TestGroupNames(t *testing.T) {
	names := groupNames()
	slices.Sort(names)
	if compact := slices.Compact(slices.Clone(names)); len(compact) != len(names) {
		t.Errorf("a name twice: %q", names)
	}
	for _, name := range names {
		if _, err := parse([]string{"-only", name}, new(strings.Builder)); err != nil {
			t.Errorf("-only %s: %v", name, err)
		}
	}
}

// TestLoads: each kind of request has its load.
func TestLoads(t *testing.T) {
	b := &lab{eventID: "7", tags: map[string]string{bodyList: `"l"`, bodySingle: `"s"`}, machine: &machine{dir: t.TempDir()}}
	for _, test := range []struct {
		body, request, path, header, script string
	}{
		{body: bodyList, request: "plain", path: "/events" + listQuery},
		{body: bodySingle, request: "plain", path: "/events/7"},
		{body: bodySingle, request: "gzip", path: "/events/7", header: "Accept-Encoding: gzip"},
		{body: bodyList, request: "304", path: "/events" + listQuery, header: `If-None-Match: "l"`},
		{body: bodySingle, request: "leave", path: "/events/7", header: "X-Calfacade-Tester: bench"},
		{body: bodySingle, request: "close", path: "/events/7", header: "Connection: close"},
		{body: bodySingle, request: "keys", script: "n = (n + 1) % 256"},
		{body: bodyList, request: "new", script: "&search=%d"},
		{body: bodySingle, request: "paced", script: "function delay() return 2 end"},
		{body: bodySingle, request: "http2", path: "/events/7"},
		{body: bodyList, request: "proxied", header: strings.Join(proxytest.Proxied, "\n"), script: listQuery},
		{body: bodyList, request: "proxied gzip", header: "Accept-Encoding: gzip\n" + strings.Join(proxytest.Proxied, "\n"), script: listQuery},
		{body: bodyList, request: "mix90", script: `"/wp-json/calendar/events/v1/events` + listQuery + `&search=%d", 0.1, 1000`},
		{body: bodySingle, request: "mix99", script: `/events/%d", 0.01, 1000`},
	} {
		got, err := b.loadOf(test.body, "facade", test.request, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got.connections != 64 || got.http2 != (test.request == "http2") || !strings.HasSuffix(got.path, test.path) || strings.Join(got.header, "\n") != test.header {
			t.Errorf("%s, %s: got %+v", test.body, test.request, got)
		}
		if (test.script != "") != (got.script != "") {
			t.Errorf("%s, %s: got the script %q", test.body, test.request, got.script)
		} else if test.script != "" {
			script, err := os.ReadFile(got.script)
			if err != nil || !strings.Contains(string(script), test.script) {
				t.Errorf("%s, %s: no %q in %s, %v", test.body, test.request, test.script, script, err)
			}
		}
	}
}

// TestAtConnections: the targets apply to 64 connections.
func TestAtConnections(t *testing.T) {
	all := atConnections(group{name: "mix", title: "Mix", rows: []row{{name: "a", request: "plain"}, {name: "b", request: "plain", limit: both(1)}}, targets: []row{{name: "b", base: "a"}}, misses: 0.1})
	var got []string
	for _, g := range all {
		got = append(got, fmt.Sprintf("%s|%s|%d|%d|%t|%d|%g", g.name, g.title, g.connections, len(g.rows), g.rows[1].limit != nil, len(g.targets), g.misses))
	}
	want := []string{"mix|Mix, 64 connections|64|2|true|1|0.1", "mix-1|Mix, 1 connection|1|2|false|0|0.1", "mix-1024|Mix, 1,024 connections|1024|2|false|0|0.1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
