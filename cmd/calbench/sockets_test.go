package main

import (
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"testing"
)

// TestSockets: a query selects the list, Accept-Encoding the compressed response, and a
// connection serves one request after the other.
func TestSockets(t *testing.T) {
	file, fields, body := facadeResponse(t)
	single, err := messagesIn(file)
	if err != nil {
		t.Fatal(err)
	}
	s := sockets{list: messages{message(http.Header{}, []byte("list")), message(http.Header{}, []byte("gzip"))}, single: single}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() { _ = s.accept(l) }()

	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for _, test := range []struct{ target, coding, body string }{
		{"/events/5", "", body}, {"/events/5", "gzip", body}, {"/events?page=1", "", "list"}, {"/events?page=1", "gzip", "gzip"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+test.target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if test.coding != "" {
			r.Header.Set("Accept-Encoding", test.coding)
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var content io.Reader = res.Body
		if res.Header.Get("Content-Encoding") == "gzip" {
			if content, err = gzip.NewReader(res.Body); err != nil || res.Header.Get("ETag") != fields.Get("ETag") {
				t.Fatal(err, res.Header)
			}
		}
		if got, err := io.ReadAll(content); err != nil || string(got) != test.body {
			t.Errorf("%v: %q, %v", test, got, err)
		}
		_ = res.Body.Close()
	}
}
