package proxy

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

const laneGet = "GET /a?b=c HTTP/1.1\r\nHost: x\r\n"

func TestLaneHead(t *testing.T) {
	for _, c := range []struct{ name, head string }{
		{"least", laneGet},
		{"head", "HEAD / HTTP/1.1\r\nhost:x.example:80\r\n"},
		{"address", "GET / HTTP/1.1\r\nHost: [2001:db8::1]:80\r\n"},
		{"browser", laneGet + "User-Agent: a (b; c)\r\nAccept: */*\r\nAccept-Encoding: gzip, br\r\nIf-None-Match: \"a\"\r\nOrigin: null\r\nConnection: Keep-Alive\r\nX-Empty:\r\nX-Tab:\ta \t\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := c.head + "\r\n"
			if h, n, _ := parseHead([]byte(head + "GET")); n != len(head) {
				t.Errorf("length %d of %d: %+v", n, len(head), h)
			}
		})
	}
	h, _, _ := parseHead([]byte("HEAD /a HTTP/1.1\r\nHOST: x\r\nACCEPT-ENCODING: br, gzip\r\nif-none-match:\t\"a\" \r\nOrigin: o\r\nCookie: c\r\nForwarded: for=a\r\n\r\n"))
	if h.method != "HEAD" || string(h.target) != "/a" || !h.gzip || string(h.match) != `"a"` || !h.origin || !h.cookie || h.proxied != 1 {
		t.Errorf("read %+v", h)
	}
}

// TestLaneHeadLeaves: these end where they end, but are answered by net/http.
func TestLaneHeadLeaves(t *testing.T) {
	for _, field := range []string{"Authorization: Basic a", "authorization:", "X-WP-Nonce: a", "X-Calfacade-Token: a", "X-Request-Id: a", strings.Repeat("Forwarded: a\r\n", maxProxyFields) + "X-Forwarded-For: a"} {
		head := laneGet + field + "\r\n\r\n"
		if h, n, _ := parseHead([]byte(head)); n != len(head) || !h.leaves {
			t.Errorf("%s: length %d of %d: %+v", field, n, len(head), h)
		}
	}
}

// TestLaneHeadRefuses: each of these is net/http's.
func TestLaneHeadRefuses(t *testing.T) {
	refused := []string{
		"", "\r\n", "G", "GET", "\r\n" + laneGet, " " + laneGet, "get / HTTP/1.1\r\nHost: x\r\n", "POST / HTTP/1.1\r\nHost: x\r\n",
		"GET / HTTP/1.0\r\nHost: x\r\n", "GET / HTTP/1.1 \r\nHost: x\r\n", "GET  / HTTP/1.1\r\nHost: x\r\n", "GET /a b HTTP/1.1\r\nHost: x\r\n",
		"GET http://x/ HTTP/1.1\r\nHost: x\r\n", "GET * HTTP/1.1\r\nHost: x\r\n", "GET  HTTP/1.1\r\nHost: x\r\n", "GET /\x7f HTTP/1.1\r\nHost: x\r\n", "GET /\xc3 HTTP/1.1\r\nHost: x\r\n",
		"GET / HTTP/1.1\nHost: x\r\n", "GET / HTTP/1.1\r\nHost: x\n", "GET / HTTP/1.1\rHost: x\r\n", "GET /\r HTTP/1.1\r\nHost: x\r\n", "GET / HTTP/1.1\r\r\nHost: x\r\n",
		"GET / HTTP/1.1\r\n", laneGet + "Host: x\r\n", "GET / HTTP/1.1\r\nHost:\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n", "GET / HTTP/1.1\r\nHost: a/b\r\n", "GET / HTTP/1.1\r\nHost: a@b\r\n", "GET / HTTP/1.1\r\nHost: a,b\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n",
	}
	for _, field := range []string{
		"Content-Length: 0", "Content-Length: 5", "content-length : 5", "Transfer-Encoding: chunked", "Transfer-Encoding : chunked", "TRANSFER-ENCODING:\tx", "TE: trailers", "Trailer: X",
		"Upgrade: h2c", "Expect: 100-continue", "HTTP2-Settings: a", "Connection: close", "Connection: keep-alive, X", "Connection: upgrade", "Connection:", "Content-Type: a/b", "Content-Encoding: gzip",
		" folded: a", "\tfolded", "A: b\r\n c", "A : b", ": a", "A", "A\x00: b", "A: b\x00", "A: \x7f", "A: \x01", "A: \xe9", "\xe9: a", "A: b\rC: d", "A: b\nC: d", "A(): b", "A: b\r",
		"Accept-Encoding: a\r\nAccept-Encoding: b", "Accept-Encoding:", "If-None-Match: a\r\nIf-None-Match: b", "Origin: a\r\nOrigin: b", "Origin:", "If-None-Match: ",
	} {
		refused = append(refused, laneGet+field+"\r\n")
	}
	for _, head := range refused {
		if h, n, _ := parseHead([]byte(head + "\r\n")); n != 0 {
			t.Errorf("%q is taken: %d %+v", head, n, h)
		}
	}
	whole := laneGet + "A: b\r\n\r\n"
	for i := range whole {
		if _, n, begun := parseHead([]byte(whole[:i])); n != 0 || !begun {
			t.Errorf("%q is taken: %d, begun: %v", whole[:i], n, begun)
		}
	}
	for _, head := range []string{"\r\n", "GET / HTTP/1.1\n", "G\r\nET", laneGet + "Content-Length: 1\r\nA", laneGet + "A\r\n\r", "GET / HTTP/1.1\r\n\r\n"} {
		if _, n, begun := parseHead([]byte(head)); n != 0 || begun {
			t.Errorf("%q: %d, begun: %v", head, n, begun)
		}
	}
}

// TestLaneFields holds that names are found, and found in lower case.
func TestLaneFields(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(fieldRoles)) {
		if len(name) > longestField || name != strings.ToLower(name) || roleOf([]byte(strings.ToUpper(name))) != fieldRoles[name] {
			t.Errorf("%s is not found", name)
		}
	}
}

// FuzzLaneHead: what the lane takes, net/http reads the same and to the same byte.
func FuzzLaneHead(f *testing.F) {
	for _, s := range []string{laneGet, laneGet + "A: b\r\n", laneGet + "Content-Length: 1\r\n", laneGet + " a: b\r\n", "HEAD / HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"a\"\r\nAccept-Encoding: gzip;q=0\r\n"} {
		f.Add([]byte(s + "\r\n" + laneGet))
		f.Add([]byte(s + "X-Forwarded-For: a, b\r\nForwarded: for=c\r\nx-forwarded-for:\r\n\r\n"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, n, begun := parseHead(b)
		for i := range n {
			if _, n, begun := parseHead(b[:i]); n != 0 || !begun {
				t.Fatalf("%q is taken whole, and not after %d bytes", b, i)
			}
		}
		if n == 0 || begun {
			return
		}
		rest := bufio.NewReaderSize(bytes.NewReader(b), len(b)+16)
		r, err := http.ReadRequest(rest)
		if err != nil {
			t.Fatalf("%q: %v", b[:n], err)
		}
		body, _ := io.ReadAll(r.Body)
		if rest.Buffered() != len(b)-n || len(body) > 0 || r.ContentLength != 0 || r.TransferEncoding != nil || r.Close || r.Trailer != nil {
			t.Errorf("%q: framed otherwise: %+v", b[:n], r)
		}
		if r.Method != h.method || r.RequestURI != string(h.target) || r.Proto != "HTTP/1.1" || r.Host == "" || r.URL.Host != "" && !strings.HasPrefix(r.RequestURI, "//") {
			t.Errorf("%q: read as %+v, here %+v", b[:n], r, h)
		}
		if got := r.Header.Values("Accept-Encoding"); strings.Join(got, "|") != string(h.accept) || acceptsGzip(got) != h.gzip {
			t.Errorf("%q: Accept-Encoding is %q", b[:n], got)
		}
		if got := r.Header.Values("If-None-Match"); strings.Join(got, "|") != string(h.match) || (len(r.Header.Values("Origin")) == 1) != h.origin {
			t.Errorf("%q: If-None-Match is %q", b[:n], got)
		}
		for _, name := range []string{"Authorization", "X-Wp-Nonce", tokenHeader, "X-Request-Id"} {
			if r.Header[name] != nil && !h.leaves {
				t.Errorf("%q is the lane's", b[:n])
			}
		}
		said := h.forwarded(true)
		for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Proto"} {
			if !h.leaves && !slices.Equal(said[name], r.Header[name]) {
				t.Errorf("%q: %s is %q", b[:n], name, said[name])
			}
		}
		for _, name := range []string{"Transfer-Encoding", "Upgrade", "Expect"} {
			if r.Header[name] != nil {
				t.Errorf("%q is taken", b[:n])
			}
		}
	})
}
