package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestRunServesAndStops(t *testing.T) {
	for _, args := range [][]string{nil, {"-neutral"}, {"-languages", "mixed"},
		{"-rest-prefix", "api", "-directory", "/blog/", "-wordpress", "core"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) { servesAndStops(t, args) })
	}
}

func servesAndStops(t *testing.T, args []string) {
	api, stop := start(t, args...)
	_, body := get(t, api+"/events/by-slug/harbour-lights-gala?_fields=rest_url")
	if want := strings.ReplaceAll(api, "/", `\/`); !strings.Contains(body, want) {
		t.Errorf("links do not start with %s: %s", want, body)
	}
	stop()
}

// TestPlain: routes are appended to the printed URL.
func TestPlain(t *testing.T) {
	api, stop := start(t, "-plain", "-directory", "blog")
	defer stop()
	_, body := get(t, api+"/events/by-slug/harbour-lights-gala&_fields=rest_url,url")
	root := strings.ReplaceAll(strings.TrimSuffix(api, "index.php?rest_route=/tribe/events/v1"), "/", `\/`)
	if !strings.HasPrefix(body, `{"url":"`+root+`?tribe_events=harbour-lights-gala","rest_url":"`+strings.ReplaceAll(api, "/",
		`\/`)+`\/events\/`) {
		t.Errorf("%s: %s", api, body)
	}
}

// start runs the command, and returns the URL of the namespace. stop terminates it.
func start(t *testing.T, args ...string) (api string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	stdout, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append(args, "-listen", "127.0.0.1:0"), nil, out, io.Discard)
		_ = out.Close()
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return strings.Fields(line)[1], func() {
		cancel()
		if got := <-code; got != 0 {
			t.Errorf("run = %d, want 0", got)
		}
	}
}

func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// TestSetups: each flag has the site answer otherwise.
func TestSetups(t *testing.T) {
	for _, test := range []struct {
		args   []string
		effect func(*http.Response, string) bool // reports whether a list shows the effect of the flag
	}{
		{[]string{"-basic", "staging:gate"}, func(r *http.Response, _ string) bool { return r.StatusCode == http.StatusUnauthorized }},
		{[]string{"-host", "legacy.test"}, func(r *http.Response, _ string) bool { return r.StatusCode == http.StatusNotFound }},
		{[]string{"-cookie", "visits"}, func(r *http.Response, _ string) bool { return r.Cookies()[0].Name == "visits" }},
		{[]string{"-no-store"}, func(r *http.Response, _ string) bool {
			return strings.HasPrefix(r.Header.Get("Cache-Control"), "no-store")
		}},
		{[]string{"-no-totals"}, func(r *http.Response, body string) bool {
			return r.Header.Get("X-TEC-Total") == "" && strings.Contains(body, `"total":`)
		}},
		{[]string{"-surplus", "bom"}, func(_ *http.Response, body string) bool { return strings.HasPrefix(body, "\ufeff{") }},
	} {
		api, stop := start(t, test.args...)
		if resp, body := get(t, api+"/events?per_page=1"); !test.effect(resp, body) {
			t.Errorf("%q: %d %v %.200q", test.args, resp.StatusCode, resp.Header, body)
		}
		stop()
	}
}

func TestRunRefuses(t *testing.T) {
	for _, test := range []struct {
		want int
		args []string
	}{
		{2, []string{"-no-such-flag"}},
		{2, []string{"-events", "-1"}},
		{2, []string{"-surplus", "nonsense"}},
		{2, []string{"-languages", "klingon"}},
		{2, []string{"-languages", "mixed", "-events", "60001"}},
		{1, []string{"-listen", "not an address"}},
	} {
		want := test.want
		args := test.args
		var stderr bytes.Buffer
		if got := run(t.Context(), args, nil, io.Discard, &stderr); got != want || stderr.Len() == 0 {
			t.Errorf("run(%q) = %d, stderr %q; want %d and a reason", args, got, &stderr, want)
		}
	}
}
