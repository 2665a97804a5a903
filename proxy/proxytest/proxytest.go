// Package proxytest has what the tests of package proxy and of the packages below it share, and what
// they share with the benchmarks.
package proxytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// NewRequest makes a request with the context of the test.
func NewRequest(t testing.TB, method, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Fetch sends a request, and returns status and body of the response.
func Fetch(t testing.TB, transport http.RoundTripper, r *http.Request) (status int, body string) {
	t.Helper()
	res, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// Unused returns a transport that fails the test if it is used.
func Unused(t testing.TB) http.RoundTripper { return unused{t} }

type unused struct{ t testing.TB }

// RoundTrip implements [http.RoundTripper].
func (u unused) RoundTrip(r *http.Request) (*http.Response, error) {
	u.t.Errorf("a connection would be made: %s %s", r.Method, r.URL)
	return nil, errors.New("no network")
}

// Files returns the contents of all files in a directory and below, by path.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		contents[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

// Proxied are header fields of a browser's request that ingress-nginx or Envoy forwards,
// beside Host and X-Request-Id: the first nine are a browser's, then ingress-nginx's
// (template/nginx.tmpl), then Envoy's with tracing and no sample.
var Proxied = []string{
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
	"Accept: application/json",
	"Accept-Language: en-GB,en;q=0.7,de;q=0.3",
	"Referer: https://www.example.org/calendar/",
	"Cookie: _ga=GA1.1.1094523861.1763800000; consent=necessary%2Cstatistics",
	"DNT: 1",
	"Sec-Fetch-Dest: empty",
	"Sec-Fetch-Mode: cors",
	"Sec-Fetch-Site: same-site",
	"X-Real-IP: 203.0.113.7",
	"X-Forwarded-For: 203.0.113.7",
	"X-Forwarded-Host: calendar.example.org",
	"X-Forwarded-Port: 443",
	"X-Forwarded-Proto: https",
	"X-Forwarded-Scheme: https",
	"X-Scheme: https",
	"X-Envoy-Expected-Rq-Timeout-Ms: 15000",
	"Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
}

// WriteCertificate writes a certificate for 127.0.0.1 that is valid until end, signed by itself, and
// its key. Its serial number distinguishes it from others.
func WriteCertificate(certFile, keyFile string, serial int64, end time.Time) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		NotBefore:    end.Add(-30 * 24 * time.Hour), NotAfter: end,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		replace(certFile, &pem.Block{Type: "CERTIFICATE", Bytes: cert}, serial),
		replace(keyFile, &pem.Block{Type: "PRIVATE KEY", Bytes: secret}, serial),
	)
}

// replace replaces a file as a whole. Its time depends on the serial number, so that it
// differs from the time of the file before even within a tick of the clock.
func replace(file string, block *pem.Block, serial int64) error {
	if err := os.WriteFile(file+".new", pem.EncodeToMemory(block), 0o600); err != nil {
		return err
	}
	stamp := time.Unix(serial*1000, 0)
	return errors.Join(os.Chtimes(file+".new", stamp, stamp), os.Rename(file+".new", file))
}

// Marked returns a response of the site, an item or a list, with the members that mark it as such (see
// [mapping.Shape]) and that it lacks, which [Unmarked] removes. Any other text stays as it is.
func Marked(body string) string {
	document, ok := jsonscan.Document([]byte(body))
	if !ok || !jsonscan.IsValid(document) {
		return body
	}
	if alone := string(document); alone != body { // there is text around it
		return strings.Replace(body, alone, Marked(alone), 1)
	}
	if _, ok := mapping.ItemID([]byte(body)); ok {
		return withMembers(body, `"title":"","name":"","url":"","global_id":"","rest_url":"","urls":{}`)
	}
	for _, resource := range mapping.Resources() {
		list := jsonscan.Get([]byte(body), resource)
		if items, err := jsonscan.Elements(list); err == nil {
			marked := string(list)
			for _, item := range items {
				marked = strings.Replace(marked, string(item), Marked(string(item)), 1)
			}
			body = withMembers(strings.Replace(body, string(list), marked, 1), `"rest_url":"","total":1,"total_pages":1`)
		}
	}
	return body
}

// withMembers adds the members that an object lacks, at its end.
func withMembers(object, members string) string {
	end := strings.LastIndexByte(object, '}')
	var marks strings.Builder
	for name, v := range jsonscan.Each([]byte("{" + members + "}")) {
		if jsonscan.Get([]byte(object), name) == nil {
			_, _ = fmt.Fprintf(&marks, ",%q:%s", name, v)
		}
	}
	if marks.Len() > 0 {
		object = object[:end] + `,"marked":0` + marks.String() + object[end:]
	}
	return object
}

// Unmarked returns a response of the facade without the members that [Marked] added to the site's.
func Unmarked(body string) string { return added.ReplaceAllString(body, "") }

var added = regexp.MustCompile(`,"marked":0(,"\w+":("[^"]*"|null|\d|{}))*`)

// WriteItem writes [Marked] of a format with its values.
func WriteItem(w io.Writer, format string, values ...any) {
	_, _ = io.WriteString(w, Marked(fmt.Sprintf(format, values...))) // fails only for a client that has disconnected
}
