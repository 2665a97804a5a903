package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy/probe"
)

func TestCheckStyle(t *testing.T) {
	r := checkReport{
		Roots: []probe.Finding{{Backend: "legacy", Language: "en", Notes: []string{"is slow"}},
			{Backend: "legacy", Language: "de", Problems: []string{"not reachable: refused"}}},
		Redis: &redisstore.Report{Servers: 1, Problems: []string{"refuses writes"}},
	}
	var text strings.Builder
	if err := r.print(&text); err != nil {
		t.Fatal(err)
	}
	style := r.style()
	var got []terminal.Style
	for line := range strings.Lines(text.String()) {
		got = append(got, style(strings.TrimSuffix(line, "\n")))
	}
	want := []terminal.Style{terminal.Bold, "", terminal.Red, terminal.Yellow, terminal.Red, "", terminal.Red, "", terminal.Red}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s%s", diff, text.String())
	}
	for _, line := range []string{"These settings select the language:", `upstream: {language_param: "lang"}`, "languages:",
		`  - {code: de, root: "/de"}`} {
		if s := style(line); s != "" {
			t.Errorf("%q is %s", line, s)
		}
	}
}

func testColours(t *testing.T, binary string) {
	file := writeConfig(t, "http://127.0.0.1:1", "")
	red := "\x1b[31men: not reachable: "
	if got := onTerminal(t, binary, nil, "check", "--config", file); !strings.Contains(got, red) {
		t.Errorf("check prints %q", got)
	}
	for name, got := range map[string]string{
		"NO_COLOR": onTerminal(t, binary, []string{"NO_COLOR=1"}, "check", "--config", file),
		"a pipe":   onTerminal(t, binary, nil, "check", "--config", file, "| cat"),
		"JSON":     onTerminal(t, binary, nil, "check", "--json", "--config", file),
	} {
		if strings.Contains(got, "\x1b") || !strings.Contains(got, "not reachable: ") {
			t.Errorf("%s: check prints %q", name, got)
		}
	}
	const request = "/wp-json/calendar/events/v1/events?pagee=1"
	if got := onTerminal(t, binary, nil, "explain", "--config", file, request); !strings.Contains(got,
		"\x1b[33mdropped:     pagee\x1b[0m\r\n") {
		t.Errorf("explain prints %q", got)
	}
	if got := onTerminal(t, binary, nil, "explain", "--config", file, "DELETE",
		request[:len("/wp-json/calendar")]); !strings.Contains(got, "\x1b[31mrefused:") {
		t.Errorf("explain prints %q", got)
	}
}
