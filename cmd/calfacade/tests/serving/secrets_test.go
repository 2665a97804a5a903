//go:build !race

package serving_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"path"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestSecrets sends requests full of secrets to legacy sites that fail in every
// way, some of them repeating the request, and looks for the secrets in all
// that the process writes and answers.
func TestSecrets(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	sites := map[string]string{
		"down": "http://127.0.0.1:1",
		"slow": processtest.Serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then net/http notices that the other side hung up
			<-r.Context().Done()
		})),
		"redirect": processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://u:opensesame@legacy.example"+r.URL.RequestURI()+"#opensesame")
			w.WriteHeader(http.StatusFound)
		})),
		"error page": processtest.Serve(t, repeating(http.StatusInternalServerError)),
		"no JSON":    processtest.Serve(t, repeating(http.StatusOK)),
		"hang up":    processtest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })),
		"no HTTP":    echo(t),
	}
	for name, url := range sites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := processtest.StartServe(t, binary, url, "login_cookies: true\nlog: {level: debug}\n"+
				"upstream: {timeout: 100ms, basic_auth: 'u:opensesame', headers: ['X-Key: opensesame'], authorization: X-Authorization}")
			requests := secretRequests(t, p.Base)
			for _, r := range requests {
				res, body := processtest.Send(t, r)
				processtest.CheckLeaks(t, res.Header, body, url)
				processtest.FindSecrets(t, fmt.Sprintf("the answer to %s %s", r.Method, r.URL), fmt.Sprintf("%v %s", res.Header, body))
			}
			if status := p.Stop(); status != processtest.StatusOK {
				t.Errorf("exit status %d, want %d", status, processtest.StatusOK)
			}
			output := p.Out.Text()
			processtest.FindSecrets(t, "what the process wrote", output)
			if n := strings.Count(output, `"msg":"request"`); n != len(requests) {
				t.Errorf("%d requests were logged, want %d", n, len(requests))
			}
		})
	}
}

// secretRequests are requests that are good, and such that fail at each step
// before the legacy is called.
func secretRequests(t *testing.T, base string) []*http.Request {
	t.Helper()
	const form, json, multipart = "application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=b"
	var out []*http.Request
	for _, r := range []struct{ method, path, kind, body string }{
		{"GET", "/events/12?password=opensesame", "", ""},
		{"HEAD", "/events/12?password=opensesame", "", ""},
		{"DELETE", "/events/12?password=opensesame", "", ""},
		{"POST", "/events/12?password=opensesame", form, "title=T"},
		{"POST", "/events/12", form, "password=opensesame&start_date=tomorrow"},
		{"PATCH", "/events/12", json, `{"title":"T","password":"opensesame"}`},
		{"PUT", "/events/12", multipart, "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nopensesame\r\n--b--\r\n"},
		// Not the password's fault.
		{"GET", "/events/12?password=opensesame&i18n_language=xx", "", ""},
		{"GET", "/events?password=opensesame&page=0", "", ""},
		{"GET", "/nowhere?password=opensesame", "", ""},
		{"PURGE", "/events/12?password=opensesame", "", ""},
		{"GET", "/events/12?password=opensesame&long=" + strings.Repeat("x", 9000), "", ""},
		// The password's fault.
		{"GET", "/events/12?password=opensesame%00", "", ""},
		{"GET", "/events/12?password=opensesame%zz", "", ""},
		{"GET", "/events/12?password[]=opensesame", "", ""},
		{"GET", "/events/12?password=" + strings.Repeat("opensesame", 101), "", ""},
		// Bodies that cannot be read.
		{"PATCH", "/events/12", json, `{"password":"opensesame",}`},
		{"PATCH", "/events/12", json, `{"password":"opensesame\x"}`},
		{"PATCH", "/events/12", json, `{"password":"opensesame`},
		{"PATCH", "/events/12", json, `{"password":opensesame}`},
		{"PATCH", "/events/12", json, `{"password":"a","password":"opensesame"}`},
		{"PATCH", "/events/12", "text/plain; x=opensesame", `password=opensesame`},
		{"PATCH", "/events/12", multipart, "--b\r\nContent-Disposition: form-data; name=\"password\"\r\nopensesame\r\n\r\n--b--\r\n"},
		{"PATCH", "/events/12", multipart, "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nopensesame"},
		{"PATCH", "/events/12", multipart, "--bopensesame\r\n"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), r.method, base+r.path, strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", r.kind)
		req.Header.Set("X-WP-Nonce", "n0nce")
		req.AddCookie(&http.Cookie{Name: "wordpress_logged_in_x", Value: "c00kie"})
		req.SetBasicAuth("u", "opensesame")
		out = append(out, req)
	}
	return out
}

// repeating answers with a page that shows all of the request.
func repeating(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dump, err := httputil.DumpRequest(r, true)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Set-Cookie", "opensesame=c00kie")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<html><pre>%s</pre></html>", dump) // the client has it already
	})
}

// echo is a port that returns the bytes that it receives, without HTTP.
func echo(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // closed by the cleanup
			}
			go repeatBytes(c)
		}
	}()
	return "http://" + l.Addr().String()
}

func repeatBytes(c net.Conn) {
	defer c.Close()
	b := make([]byte, 64<<10)
	n, err := c.Read(b)
	if err == nil {
		_, _ = c.Write(b[:n]) // the connection may be closed
	}
}

// TestUnsolicited: bytes that a site sends beyond its answer are nobody's to read.
func TestUnsolicited(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go sayTooMuch(c)
		}
	}()
	p := processtest.StartServe(t, binary, "http://"+l.Addr().String(), "")
	for i := range 20 {
		p.Get(fmt.Sprintf("/events/%d", i+1))
	}
	p.Stop()
	if strings.Contains(p.Out.Text(), "opensesame") {
		t.Error("the log holds what the site sent")
	}
}

func sayTooMuch(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		request, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		body := proxytest.Marked(`{"id":` + path.Base(request.URL.Path) + "}")
		_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		_, _ = io.WriteString(c, "opensesame") // it comes by itself
	}
}
