package lane

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const plainGet = "GET /a?b=c HTTP/1.1\r\nHost: x\r\n"

func parse(b []byte) (r Request, n int, begun bool) {
	if r.readLine(b) && r.ReadHeader() {
		return r, r.length, false
	}
	return r, 0, r.incomplete
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, head string }{
		{"minimum", plainGet},
		{"head", "HEAD / HTTP/1.1\r\nhost:x.example:80\r\n"},
		{"address", "GET / HTTP/1.1\r\nHost: [2001:db8::1]:80\r\n"},
		{"browser", plainGet + "User-Agent: a (b; c)\r\nAccept: */*\r\nAccept-Encoding: gzip, br\r\nIf-None-Match: \"a\"\r\nOrigin: " +
			"null\r\nConnection: Keep-Alive\r\nX-Empty:\r\nX-Tab:\ta \t\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := c.head + "\r\n"
			if h, n, _ := parse([]byte(head + "GET")); n != len(head) {
				t.Errorf("length %d of %d: %+v", n, len(head), h)
			}
		})
	}
	h, _, _ := parse([]byte("HEAD /a HTTP/1.1\r\nHOST: x\r\nACCEPT-ENCODING: br, gzip\r\nif-none-match:\t\"a\" \r\nOrigin: o\r\n" +
		"Cookie: c\r\nX-WP-Nonce: n\r\nX-Forwarded-For: a\r\nX-Request-Id: d\r\ntraceparent: e\r\n\r\n"))
	if h.Method != "HEAD" || string(h.Target) != "/a" || string(h.AcceptEncoding) != "br, gzip" || string(h.IfNoneMatch) != `"a"` ||
		!h.Origin || string(h.Cookie) != "c" || !h.Nonce || string(h.RequestID) != "d" || string(h.Traceparent) != "e" ||
		string(h.forwarded) != ",a" {
		t.Errorf("read %+v", h)
	}
}

// TestParseRefuses: the lane leaves each of these to net/http.
func TestParseRefuses(t *testing.T) {
	refused := []string{
		"", "\r\n", "G", "GET", "\r\n" + plainGet, " " + plainGet, "get / HTTP/1.1\r\nHost: x\r\n", "POST / HTTP/1.1\r\nHost: x\r\n",
		"GET / HTTP/1.0\r\nHost: x\r\n", "GET / HTTP/1.1 \r\nHost: x\r\n", "GET  / HTTP/1.1\r\nHost: x\r\n",
		"GET /a b HTTP/1.1\r\nHost: x\r\n",
		"GET http://x/ HTTP/1.1\r\nHost: x\r\n", "GET * HTTP/1.1\r\nHost: x\r\n", "GET  HTTP/1.1\r\nHost: x\r\n",
		"GET / HTTP/1.1\nHost: x\r\n", "GET / HTTP/1.1\r\nHost: x\n", "GET / HTTP/1.1\rHost: x\r\n",
		"GET / HTTP/1.1\r\r\nHost: x\r\n",
		"GET / HTTP/1.1\r\n", plainGet + "Host: x\r\n", "GET / HTTP/1.1\r\nHost:\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n",
		"GET / HTTP/1.1\r\nHost: a/b\r\n", "GET / HTTP/1.1\r\nHost: a@b\r\n", "GET / HTTP/1.1\r\nHost: a,b\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n",
	}
	for _, field := range []string{
		"Content-Length: 0", "Content-Length: 5", "content-length : 5", "Transfer-Encoding: chunked", "Transfer-Encoding : chunked",
		"TRANSFER-ENCODING:\tx", "Trailer: X",
		"Upgrade: h2c", "Expect: 100-continue", "HTTP2-Settings: a", "Connection: close", "Connection: keep-alive, X",
		"Connection: upgrade", "Connection:",
		" folded: a", "\tfolded", "A: b\r\n c", "A : b", ": a", "A", "A\x00: b", "A: b\x00", "A: \x7f", "A: \x01", "A: \xe9",
		"\xe9: a", "A: b\rC: d", "A: b\nC: d", "A(): b", "A: b\r",
		"Accept-Encoding: a\r\nAccept-Encoding: b", "Accept-Encoding:", "If-None-Match: a\r\nIf-None-Match: b",
		"Origin: a\r\nOrigin: b", "Origin:", "If-None-Match: ", "Authorization: Basic a", "authorization:", "X-Calfacade-Tester: a",
		"X-Request-Id: a\r\nX-Request-Id: b", "Cookie: a\r\nCookie: b", "Cookie:", "traceparent: a\r\nTraceparent: b",
	} {
		refused = append(refused, plainGet+field+"\r\n", plainGet+strings.ToUpper(field)+"\r\n")
	}
	for _, head := range refused {
		if h, n, _ := parse([]byte(head + "\r\n")); n != 0 {
			t.Errorf("%q is accepted: %d %+v", head, n, h)
		}
	}
	head := plainGet + "A: b\r\n\r\n"
	for i := range head {
		if _, n, begun := parse([]byte(head[:i])); n != 0 || !begun {
			t.Errorf("%q is accepted: %d, begun: %v", head[:i], n, begun)
		}
	}
	for _, head := range []string{"\r\n", "GET / HTTP/1.1\n", "G\r\nET", plainGet + "Content-Length: 1\r\nA", plainGet + "A\r\n\r",
		"GET / HTTP/1.1\r\n\r\n"} {
		if _, n, begun := parse([]byte(head)); n != 0 || begun {
			t.Errorf("%q: %d, begun: %v", head, n, begun)
		}
	}
}

// FuzzParse: net/http reads a request that the lane accepts the same, and to the same byte.
func FuzzParse(f *testing.F) {
	for _, s := range []string{plainGet, plainGet + "A: b\r\n", plainGet + "Content-Length: 1\r\n", plainGet + " a: b\r\n",
		"HEAD / HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"a\"\r\nAccept-Encoding: gzip;q=0\r\n"} {
		f.Add([]byte(s + "\r\n" + plainGet))
		f.Add([]byte(s + "Cookie: a=b; c=d\r\ntraceparent: 00-1-2-01\r\nContent-Type: a/b\r\nTE: trailers\r\n\r\n"))
		f.Add([]byte(s + "X-Forwarded-For: a, b\r\nForwarded: for=c\r\nx-forwarded-for:\r\n\r\n"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, n, begun := parse(b)
		for i := range n {
			if _, n, begun := parse(b[:i]); n != 0 || !begun {
				t.Fatalf("%q is accepted whole, but not begun after %d bytes", b, i)
			}
		}
		if n == 0 || begun {
			return
		}
		if _, err := url.ParseRequestURI(string(h.Target)); err != nil {
			return // no Answerer knows the target
		}
		reader := bufio.NewReaderSize(bytes.NewReader(b), len(b)+16)
		r, err := http.ReadRequest(reader)
		if err != nil {
			t.Fatalf("%q: %v", b[:n], err)
		}
		body, _ := io.ReadAll(r.Body)
		if reader.Buffered() != len(b)-n || len(body) > 0 || r.ContentLength != 0 || r.TransferEncoding != nil || r.Close ||
			r.Trailer != nil {
			t.Errorf("%q: framed differently: %+v", b[:n], r)
		}
		if r.Method != h.Method || r.RequestURI != string(h.Target) || r.Proto != "HTTP/1.1" || r.Host == "" ||
			r.URL.Host != "" && !strings.HasPrefix(r.RequestURI, "//") {
			t.Errorf("%q: read as %+v, here %+v", b[:n], r, h)
		}
		if got := r.Header.Values("Accept-Encoding"); strings.Join(got, "|") != string(h.AcceptEncoding) {
			t.Errorf("%q: Accept-Encoding is %q", b[:n], got)
		}
		if got := r.Header.Values("If-None-Match"); strings.Join(got, "|") != string(h.IfNoneMatch) ||
			(len(r.Header.Values("Origin")) == 1) != h.Origin {
			t.Errorf("%q: If-None-Match is %q", b[:n], got)
		}
		for _, name := range []string{"Authorization", "X-Calfacade-Tester"} {
			if r.Header[name] != nil {
				t.Errorf("%q is served by the lane", b[:n])
			}
		}
		if (r.Header["X-Wp-Nonce"] != nil) != h.Nonce {
			t.Errorf("%q: X-WP-Nonce is %q", b[:n], r.Header["X-Wp-Nonce"])
		}
		for name, value := range map[string][]byte{"Cookie": h.Cookie, "Traceparent": h.Traceparent, "X-Request-Id": h.RequestID} {
			if got := strings.Join(r.Header.Values(name), "|"); got != string(value) {
				t.Errorf("%q: %s is %q", b[:n], name, got)
			}
		}
		got, want := h.ProxyHeader()["X-Forwarded-For"], r.Header["X-Forwarded-For"]
		if len(got) != min(1, len(want)) || strings.Join(got, ",") != strings.Join(want, ",") {
			t.Errorf("%q: X-Forwarded-For is %q", b[:n], got)
		}
		for _, name := range []string{"Transfer-Encoding", "Upgrade", "Expect"} {
			if r.Header[name] != nil {
				t.Errorf("%q is accepted", b[:n])
			}
		}
	})
}

// TestIsText tries every byte at every place of words, and of the bytes beside them.
func TestIsText(t *testing.T) {
	for _, least := range []byte(" !") {
		for _, fill := range []byte{least, 'a', '~'} {
			for n := 1; n < 20; n++ {
				for i := range n {
					for c := range 256 {
						b := bytes.Repeat([]byte{fill}, n)
						b[i] = byte(c)
						if want := c >= int(least) && c <= '~'; isText(b, least) != want {
							t.Fatalf("%q from %q: want %v", b, least, want)
						}
					}
				}
			}
		}
	}
}
