package config

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestValidateAccess(t *testing.T) {
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, testCA(t), 0o600); err != nil {
		t.Fatal(err)
	}
	const (
		hostForm  = "is not a host such as www.example.org or www.example.org:8443"
		fieldForm = "is not a header field such as \"X-Key: value\", in printable ASCII"
		pair      = "must be user:password, without control characters"
		reserved  = "is reserved for the facade"
	)
	for _, test := range []struct{ env, want string }{
		{"UPSTREAM_HOST=www.example.org", ""},
		{"UPSTREAM_HOST=www.example.org:8443", ""},
		{"UPSTREAM_HOST=[::1]:8443", ""},
		{"UPSTREAM_HOST=https://www.example.org", `upstream.host: "https://www.example.org" ` + hostForm},
		{"UPSTREAM_HOST=a/b", `upstream.host: "a/b" ` + hostForm},
		{"UPSTREAM_HOST=a.example:x", `upstream.host: "a.example:x" ` + hostForm},
		{"UPSTREAM_HOST=www.example.org|LANGUAGES_1_CODE=es|LANGUAGES_1_ROOT=/es|LANGUAGES_1_UPSTREAM=https://es.example.org/wp-json",
			"upstream.host: applies to all languages, but their upstreams have different hosts"},

		{"UPSTREAM_CA_FILE=" + ca, ""},
		{"UPSTREAM_CA_FILE=" + exampleFile, "upstream.ca_file: " + exampleFile + " contains no PEM certificate"},
		{"UPSTREAM_CA_FILE=/no/such/file", "upstream.ca_file: open /no/such/file: no such file or directory"},

		{"UPSTREAM_BASIC_AUTH=staging:opensesame", ""},
		{"UPSTREAM_BASIC_AUTH=staging:open:sesame é", ""},
		{"UPSTREAM_BASIC_AUTH=staging", "upstream.basic_auth: " + pair},
		{"UPSTREAM_BASIC_AUTH=:opensesame", "upstream.basic_auth: " + pair},
		{"UPSTREAM_BASIC_AUTH=staging:", "upstream.basic_auth: " + pair},
		{"UPSTREAM_BASIC_AUTH=a\x01b:opensesame", "upstream.basic_auth: " + pair},

		{"UPSTREAM_HEADERS=X-Key: opensesame,X-Forwarded-Proto: https", ""},
		{"UPSTREAM_HEADERS=X-Key=opensesame", "upstream.headers[0]: " + fieldForm},
		{"UPSTREAM_HEADERS=X-Key: opensesame,X-Other", "upstream.headers[1]: " + fieldForm},
		{"UPSTREAM_HEADERS=X Key: opensesame", "upstream.headers[0]: " + fieldForm},
		{"UPSTREAM_HEADERS=X-Key: opensesame\x01", "upstream.headers[0]: " + fieldForm},
		{"UPSTREAM_HEADERS=X-Key:", "upstream.headers[0]: " + fieldForm},
		{"UPSTREAM_HEADERS=x-key: a,X-Key: opensesame", "upstream.headers[1]: X-Key is set twice"},
		{"UPSTREAM_HEADERS=cookie: opensesame", "upstream.headers[0]: Cookie " + reserved},
		{"UPSTREAM_HEADERS=X-HTTP-Method-Override: opensesame", "upstream.headers[0]: X-Http-Method-Override " + reserved},
		{"UPSTREAM_HEADERS=Host: opensesame", "upstream.headers[0]: Host " + reserved},
		{"UPSTREAM_HEADERS=Authorization: opensesame", ""},
		{"UPSTREAM_HEADERS=Authorization: opensesame|UPSTREAM_BASIC_AUTH=staging:opensesame",
			"upstream.basic_auth: Authorization is set in upstream.headers as well: use one of the two"},

		{"UPSTREAM_AUTHORIZATION=X-Authorization", ""},
		{"UPSTREAM_AUTHORIZATION=authorization", "upstream.authorization: Authorization " + reserved},
		{"UPSTREAM_AUTHORIZATION=Cookie", "upstream.authorization: Cookie " + reserved},
		{"UPSTREAM_AUTHORIZATION=X Y", `upstream.authorization: "X Y" is no name of a header field`},
		{"UPSTREAM_AUTHORIZATION=x-key|UPSTREAM_HEADERS=X-Key: opensesame", "upstream.authorization: X-Key is in upstream.headers as well"},
	} {
		t.Run(test.env, func(t *testing.T) {
			_, err := Parse("c.yaml", []byte(readFile(t, minimalFile)), accessEnv(test.env))
			checkError(t, err, test.want)
		})
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
