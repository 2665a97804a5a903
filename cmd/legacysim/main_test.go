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
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, out := io.Pipe()
	code := make(chan int, 1)
	go func() { code <- run(ctx, []string{"-listen", "127.0.0.1:0"}, nil, out, io.Discard) }()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	api := strings.Fields(line)[1]
	resp, err := http.Get(api + "/events/by-slug/harbour-lights-gala?_fields=rest_url")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(api, "/", `\/`); !strings.Contains(string(body), want) {
		t.Errorf("links do not start with %s: %s", want, body)
	}
	cancel()
	if got := <-code; got != 0 {
		t.Errorf("run = %d, want 0", got)
	}
}

func TestRunRefuses(t *testing.T) {
	for want, args := range map[int][]string{2: {"-no-such-flag"}, 1: {"-listen", "not an address"}} {
		var stderr bytes.Buffer
		if got := run(t.Context(), args, nil, io.Discard, &stderr); got != want || stderr.Len() == 0 {
			t.Errorf("run(%q) = %d, stderr %q; want %d and a reason", args, got, &stderr, want)
		}
	}
}
