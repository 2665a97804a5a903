package docs_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestDocument: the document needs no site, has its own validator for each language and
// coding, and is not sent again to a client that has it.
func TestDocument(t *testing.T) {
	const nobody = "http://127.0.0.1:1" // tcpmux, which nothing speaks
	facade := proxy.New(proxy.Options{PublicURL: facadetest.PublicURL, Site: i18n.Languages{
		{Code: "en", Root: "/wp-json", Upstream: nobody}, {Code: "es", Root: "/es/wp-json", Upstream: nobody},
	}})
	ask := func(method, root, query string, header ...string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, root+"/"+mapping.Namespace+"/doc"+query, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		facade.ServeHTTP(w, r)
		return w
	}
	english := ask("GET", "/wp-json", "")
	if english.Code != http.StatusOK || !bytes.Equal(english.Body.Bytes(), facadetest.OpenAPI("en")) {
		t.Fatalf("status %d, and not what the command prints", english.Code)
	}
	tag := english.Header().Get("Etag")
	again := ask("GET", "/wp-json", "", "If-None-Match", tag)
	if again.Code != http.StatusNotModified || again.Body.Len() > 0 || again.Header().Get("Etag") != tag {
		t.Errorf("known: %d with %d bytes, ETag %s, want 304 with %s", again.Code, again.Body.Len(), again.Header().Get("Etag"), tag)
	}
	if head := ask("HEAD", "/wp-json", ""); head.Body.Len() > 0 || head.Header().Get("Etag") != tag {
		t.Errorf("HEAD: %d bytes, ETag %s, want %s", head.Body.Len(), head.Header().Get("Etag"), tag)
	}
	zipped := ask("GET", "/wp-json", "", "Accept-Encoding", "gzip")
	if zipped.Header().Get("Content-Encoding") != "gzip" || zipped.Header().Get("Etag") == tag || zipped.Body.Len() > english.Body.Len()/5 {
		t.Errorf("gzip: %v, %d bytes", zipped.Header(), zipped.Body.Len())
	}
	spanish := ask("GET", "/es/wp-json", "")
	byParameter := ask("GET", "/wp-json", "?i18n_language=es")
	if spanish.Header().Get("Etag") == tag || spanish.Header().Get("Content-Language") != "es" {
		t.Errorf("Spanish: %v", spanish.Header())
	}
	if !bytes.Equal(spanish.Body.Bytes(), byParameter.Body.Bytes()) {
		t.Error("i18n_language gives another document than the root of the language")
	}
	if spanish.Header().Get("Cache-Control") == "" || spanish.Header().Get("Vary") == "" {
		t.Errorf("no cache may keep it: %v", spanish.Header())
	}
	if french := ask("GET", "/wp-json", "?i18n_language=fr"); french.Header().Get("Content-Language") != "fr" ||
		french.Header().Get("Etag") == tag {
		t.Errorf("French, without a root: %v", french.Header())
	}
}
