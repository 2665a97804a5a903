package main

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidateAccess(t *testing.T) {
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, testCA(t), 0o600); err != nil {
		t.Fatal(err)
	}
	const (
		hostForm  = "is not a host such as www.example.org or www.example.org:8443"
		fieldForm = "is no header field such as \"X-Key: value\", in printable ASCII"
		own       = "is a header field of the facade's own"
		together  = "username and a password belong together"
	)
	for _, test := range []struct{ env, want string }{
		{"UPSTREAM_HOST=www.example.org", ""},
		{"UPSTREAM_HOST=www.example.org:8443", ""},
		{"UPSTREAM_HOST=[::1]:8443", ""},
		{"UPSTREAM_HOST=https://www.example.org", `upstream.host: "https://www.example.org" ` + hostForm},
		{"UPSTREAM_HOST=a/b", `upstream.host: "a/b" ` + hostForm},
		{"UPSTREAM_HOST=a.example:x", `upstream.host: "a.example:x" ` + hostForm},
		{"UPSTREAM_HOST=www.example.org|LANGUAGES_1_CODE=es|LANGUAGES_1_ROOT=/es|LANGUAGES_1_UPSTREAM=https://es.example.org/wp-json",
			"upstream.host: is for all languages, whose upstreams have different hosts"},

		{"UPSTREAM_CA_FILE=" + ca, ""},
		{"UPSTREAM_CA_FILE=" + exampleFile, "upstream.ca_file: " + exampleFile + " has no certificate in PEM"},
		{"UPSTREAM_CA_FILE=/no/such/file", "upstream.ca_file: open /no/such/file: no such file or directory"},

		{"UPSTREAM_USERNAME=staging|UPSTREAM_PASSWORD=opensesame", ""},
		{"UPSTREAM_USERNAME=staging", "upstream: " + together},
		{"UPSTREAM_PASSWORD=opensesame", "upstream: " + together},
		{"UPSTREAM_USERNAME=a:b|UPSTREAM_PASSWORD=opensesame", `upstream.username: "a:b" has a colon, or a character that is not printable`},

		{"UPSTREAM_HEADERS=X-Key: opensesame,X-Forwarded-Proto: https", ""},
		{"UPSTREAM_HEADERS=X-Key=opensesame", "upstream.headers[0]: " + fieldForm},
		{"UPSTREAM_HEADERS=X-Key: opensesame,X-Other", "upstream.headers[1]: " + fieldForm},
		{"UPSTREAM_HEADERS=X Key: opensesame", "upstream.headers[0]: " + fieldForm},
		{"UPSTREAM_HEADERS=X-Key: opensesame\x01", "upstream.headers[0]: " + fieldForm},
		{"UPSTREAM_HEADERS=X-Key:", "upstream.headers[0]: " + fieldForm},
		{"UPSTREAM_HEADERS=x-key: a,X-Key: opensesame", "upstream.headers[1]: X-Key is there twice"},
		{"UPSTREAM_HEADERS=cookie: opensesame", "upstream.headers[0]: Cookie " + own},
		{"UPSTREAM_HEADERS=X-HTTP-Method-Override: opensesame", "upstream.headers[0]: X-Http-Method-Override " + own},
		{"UPSTREAM_HEADERS=Host: opensesame", "upstream.headers[0]: Host " + own},
		{"UPSTREAM_HEADERS=Authorization: opensesame", ""},
		{"UPSTREAM_HEADERS=Authorization: opensesame|UPSTREAM_USERNAME=staging|UPSTREAM_PASSWORD=opensesame",
			"upstream.username: Authorization is in upstream.headers: one of the two"},

		{"UPSTREAM_AUTHORIZATION=X-Authorization", ""},
		{"UPSTREAM_AUTHORIZATION=authorization", "upstream.authorization: Authorization " + own},
		{"UPSTREAM_AUTHORIZATION=Cookie", "upstream.authorization: Cookie " + own},
		{"UPSTREAM_AUTHORIZATION=X Y", `upstream.authorization: "X Y" is no name of a header field`},
		{"UPSTREAM_AUTHORIZATION=x-key|UPSTREAM_HEADERS=X-Key: opensesame", "upstream.authorization: X-Key is in upstream.headers as well"},
	} {
		t.Run(test.env, func(t *testing.T) {
			_, err := ParseConfig("c.yaml", []byte(readFile(t, minimalFile)), accessEnv(test.env))
			checkError(t, err, test.want)
		})
	}
}

// What a configuration says of the way to the site reaches the calls.
func TestAccessOptions(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*UpstreamConfig)
		want   http.Header
	}{
		"nothing": {func(*UpstreamConfig) {}, http.Header{}},
		"a password": {func(u *UpstreamConfig) { u.Username, u.Password = "staging", newSecret("opensesame") },
			http.Header{"Authorization": {"Basic c3RhZ2luZzpvcGVuc2VzYW1l"}}},
		"header fields": {func(u *UpstreamConfig) { u.Headers = newSecrets([]string{"x-key:  a: b ", "X-Forwarded-Proto: https"}) },
			http.Header{"X-Key": {"a: b"}, "X-Forwarded-Proto": {"https"}}},
	} {
		c := minimalConfig().Upstream
		c.Host, c.Authorization = "www.example.org", "x-authorization"
		test.change(&c)
		got := upstreamOptions(c).Access
		if diff := cmp.Diff(test.want, got.Header); diff != "" {
			t.Errorf("%s: header (-want +got):\n%s", name, diff)
		}
		if got.Host != "www.example.org" || got.ClientCredentials != "X-Authorization" || got.CAs != nil {
			t.Errorf("%s: got %q %q %v", name, got.Host, got.ClientCredentials, got.CAs)
		}
	}
}

// A file of CAs that is gone since it was validated trusts nobody, and not everybody
// that the system trusts.
func TestLostCAsTrustNobody(t *testing.T) {
	u := minimalConfig().Upstream
	u.CAFile = filepath.Join(t.TempDir(), "gone.pem")
	if got := upstreamOptions(u).Access.CAs; got == nil || !got.Equal(x509.NewCertPool()) {
		t.Errorf("got %v", got)
	}
}

// testCA is a certificate in PEM.
func testCA(t *testing.T) []byte {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// accessEnv is calfacadeEnv for values with blanks: a | stands between assignments.
func accessEnv(assignments string) []string {
	var env []string
	for a := range strings.SplitSeq(assignments, "|") {
		env = append(env, "CALFACADE_"+a)
	}
	return env
}
