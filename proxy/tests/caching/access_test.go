package caching_test

import (
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// gate is the operator's header field in these tests.
var gate = http.Header{"Authorization": {"Basic b3BlcmF0b3I6b3BlbnNlc2FtZQ=="}}

// TestGateSharesAnonymousResponses: credentials of the operator in all calls make no response
// private. Credentials of a client in another field do.
func TestGateSharesAnonymousResponses(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		o.Upstream.Access = upstream.AccessOptions{Header: gate, ClientCredentials: "X-Authorization"}
	})
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != gate.Get("Authorization") {
			t.Errorf("Authorization: %s", got)
		}
		proxytest.WriteItem(w, `{"id":5,"title":%q}`, "for "+r.Header.Get("X-Authorization"))
	})
	for _, test := range []struct{ header, want string }{
		{"Accept: */*", "for "},
		{"Authorization: Basic YTpi", "for Basic YTpi"},
		{"Authorization: Basic Yzpk", "for Basic Yzpk"},
		{"X-Authorization: Basic YTpi", "for "},
		{"Accept: */*", "for "},
	} {
		if _, body := f.Send("GET /events/5", test.header); !strings.Contains(body, `"`+test.want+`"`) {
			t.Errorf("%s: got %s, want %s", test.header, body, test.want)
		}
	}
	f.Want("GET /events/5", "200 hit calls 0")
	f.Want("GET /events/5", "200 fwd=bypass calls 1", "Authorization: Basic YTpi")
}

// TestRefusedCredentialsPurgeNothing: nothing was sent, so nothing has changed.
func TestRefusedCredentialsPurgeNothing(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Upstream.Access.Header = gate })
	f.Want("GET /events/5", "200 fwd=uri-miss; stored calls 1")
	f.Want("DELETE /events/5", "403 fwd=method calls 0", "Authorization: Basic YTpi")
	f.Want("GET /events/5", "403 fwd=bypass calls 0", "Authorization: Basic YTpi")
	f.Want("GET /events/5", "200 hit calls 0")
}

// TestGateIsOfTheLegacyAlone: another site is not called by the legacy's Host, nor with
// the credentials for it.
func TestGateIsOfTheLegacyAlone(t *testing.T) {
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization")+r.Header.Get("X-Gate") != "" || r.Host == "www.example.org" {
			t.Errorf("the other site gets %s, %v", r.Host, r.Header)
		}
		proxytest.WriteItem(w, `{"events":[],"total":0,"total_pages":0}`)
	}))
	defer foreign.Close()
	facade := proxy.New(proxy.Options{
		Site: i18n.Languages{{Code: "en", Upstream: "http://127.0.0.1:1"}},
		Upstream: upstream.Options{Access: upstream.AccessOptions{Host: "www.example.org",
			Header: http.Header{"X-Gate": {"opensesame"}, "Authorization": gate["Authorization"]}}},
		Backends: []proxy.BackendOptions{{Name: "new", Dialect: mapping.API{Dialect: mapping.Neutral},
			Upstreams: map[string]string{"en": foreign.URL}}},
	})
	defer facade.Close()
	if findings := facade.Probe(t.Context()); !findings[1].OK() {
		t.Errorf("%+v", findings[1])
	}
}

// TestCertificates: a CA of the operator's is the only one, and the site's certificate
// is for the Host that it is called by.
func TestCertificates(t *testing.T) {
	serverName := make(chan string, 1) // the name in the handshake
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serverName <- r.TLS.ServerName
		_, _ = io.WriteString(w, facadetest.AnItem)
	}))
	site.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes
	site.StartTLS()
	defer site.Close()
	private := x509.NewCertPool()
	private.AddCert(site.Certificate()) // for example.com and 127.0.0.1
	const refused = "503 calendar_upstream_unavailable after 1"
	for _, test := range []struct {
		access     upstream.AccessOptions
		want       string
		serverName string
		hint       string // of check
	}{
		{upstream.AccessOptions{}, refused, "", "see upstream.ca_file"},
		{upstream.AccessOptions{CAs: x509.NewCertPool()}, refused, "", "see upstream.ca_file"},
		{upstream.AccessOptions{CAs: private}, "200", "", ""}, // no name: an address is called
		{upstream.AccessOptions{CAs: private, Host: "example.com"}, "200", "example.com", ""},
		{upstream.AccessOptions{CAs: private, Host: "example.com:8443"}, "200", "example.com", ""},
		{upstream.AccessOptions{CAs: private, Host: "other.example"}, refused, "", "see upstream.host"},
	} {
		o := facadetest.FaultOptions(site.URL)
		o.Upstream.Access = test.access
		got := facadetest.NewDirect(t, o).Send("GET /events/5")
		if got != test.want {
			t.Errorf("host %q: got %s, want %s", test.access.Host, got, test.want)
		}
		if test.want == refused {
			if problems := facadetest.NewDirect(t, o).Probe(t.Context())[0].Problems; !strings.HasSuffix(problems[0], test.hint) {
				t.Errorf("host %q: problems %q, want a hint: %s", test.access.Host, problems, test.hint)
			}
		} else if name := <-serverName; name != test.serverName {
			t.Errorf("host %q: the handshake names %q, want %q", test.access.Host, name, test.serverName)
		}
	}
}

// TestRecordingBehindAGate: a recording has only anonymous responses, and none of the
// operator's credentials.
func TestRecordingBehindAGate(t *testing.T) {
	b := facadetest.RecordSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != gate.Get("Authorization") {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, facadetest.AnItem)
	}), nil)
	b.Base = facadetest.FacadeAt(t, b.Legacy, func(o *proxy.Options) {
		o.Upstream.Wrap = b.Making.Wrap
		o.Upstream.Access.Header = gate
	})
	if status, _ := b.Get("GET", "/events/5", ""); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if counts := b.Making.Counts(); counts.Kept != 1 || counts.Private != 0 {
		t.Errorf("%+v", counts)
	}
	for name, text := range b.Files() {
		if strings.Contains(text, "b3BlcmF0b3I6") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
