package docs_test

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
)

// TestSamples runs the samples of the page that read a list and create an item, as people paste them.
func TestSamples(t *testing.T) {
	t.Parallel()
	legacy := httptest.NewServer(sim.New(sim.Options{}))
	t.Cleanup(legacy.Close)
	facade := httptest.NewUnstartedServer(nil)
	facade.Config.Handler = proxy.New(proxy.Options{
		PublicURL: "http://" + facade.Listener.Addr().String(), Docs: true,
		Site:   i18n.Languages{{Code: "fr", Root: "/wp-json", Upstream: legacy.URL + "/fr/wp-json"}},
		Legacy: proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "wpml_language"}},
	})
	facade.Start()
	t.Cleanup(facade.Close)
	response, err := http.Get(facade.URL + "/wp-json/calendar/events/v1/docs/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var page bytes.Buffer
	if _, err := page.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	user := sim.Users[0]
	variables := map[string]string{
		"curl":   fmt.Sprintf("USER_NAME=%q\nPASSWORD=%q\n", user.Name, user.Password),
		"python": fmt.Sprintf("user_name, password = %q, %q\n", user.Name, user.Password),
		"go": fmt.Sprintf("package main\n\nimport (\"fmt\"; \"io\"; \"net/http\"; \"os\"; \"strings\")\n\nvar userName, password = "+
			"%q, %q\n\n"+
			"var _ = strings.NewReader\n\nfunc main() { if err := run(); err != nil { fmt.Println(err) } }\n\nfunc run() error {\n",
			user.Name, user.Password),
	}
	programs := map[string]string{"curl": "curl", "python": "python3", "go": "go"}
	for language, command := range map[string][]string{
		"curl": {"sh"}, "python": {"python3"}, "go": {"go", "run"},
	} {
		for operation, want := range map[string]string{"events.list": `"events":`, "events.create": `"status":`} {
			t.Run(language+"/"+operation, func(t *testing.T) {
				if _, err := exec.LookPath(programs[language]); err != nil {
					t.Skip(err)
				}
				sample := variables[language] + sampleOf(t, page.String(), operation, language)
				if language == "go" {
					sample += "\n}\n"
				}
				file := filepath.Join(t.TempDir(), "sample."+language)
				if err := os.WriteFile(file, []byte(sample), 0o600); err != nil {
					t.Fatal(err)
				}
				out, err := exec.CommandContext(t.Context(), command[0], append(command[1:], file)...).CombinedOutput()
				got := strings.ReplaceAll(string(out), "'", `"`)
				if err != nil || !strings.Contains(got, want) {
					t.Errorf("%v: %.300s\n%s", err, out, sample)
				}
			})
		}
	}
}

// sampleOf returns the sample of an operation in a language.
func sampleOf(t *testing.T, page, operation, language string) string {
	t.Helper()
	_, section, _ := strings.Cut(page, `id="`+operation+`"`)
	match := regexp.MustCompile(`(?s)<pre class="sample ` + language + `"[^>]*>(.*?)</pre>`).FindStringSubmatch(section)
	if match == nil {
		t.Fatal("no sample")
	}
	return html.UnescapeString(match[1])
}
