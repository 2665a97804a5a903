package i18n_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
)

func catalog(t *testing.T, code string) map[string]string {
	t.Helper()
	data, err := os.ReadFile("catalog/" + code + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	if err := yaml.Unmarshal(data, &texts); err != nil {
		t.Fatal(code, err)
	}
	return texts
}

// TestCatalogsAgree: every language has the same keys, and the placeholders of
// each text.
func TestCatalogsAgree(t *testing.T) {
	placeholder := regexp.MustCompile(`{{.*?}}`)
	english := catalog(t, "en")
	for _, code := range i18n.Codes {
		texts := catalog(t, code)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(texts))); diff != "" {
			t.Errorf("keys (-en +%s):\n%s", code, diff)
		}
		for key, text := range texts {
			want := placeholder.FindAllString(english[key], -1)
			got := placeholder.FindAllString(text, -1)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: placeholders (-en +%s):\n%s", key, code, diff)
			}
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: %s has no text", key, code)
			}
		}
	}
}

// undocumented are the texts of errors that are no code of the neutral namespace: three are part
// of another's, one is for the log, and two are for clients of the legacy's namespace.
var undocumented = []string{
	"invalid_parameter", "calendar_client_gone", "calendar_legacy_argument", "calendar_legacy_off", "kept", "made_since",
}

// TestCatalogIsWhatIsUsed: no text is missing, and no text is left over.
func TestCatalogIsWhatIsUsed(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	source := sources(t)
	texts := catalog(t, "en")
	needed := textKeys()
	for key := range texts {
		kind, name, _ := strings.Cut(key, ".")
		documented := openapi.OwnCode(name)
		if kind == "error" && documented == slices.Contains(undocumented, name) {
			t.Errorf("%s: in the documentation: %t", key, documented)
		}
		switch kind {
		case "error", "fault", "page", "status":
			if !strings.Contains(source, `"`+name+`"`) && !strings.Contains(source, `"`+key+`"`) {
				t.Errorf("%s: nothing uses it", key)
			}
		case "list":
		default:
			if !slices.Contains(needed, key) {
				t.Errorf("%s: the table does not need it", key)
			}
		}
	}
	for _, key := range needed {
		if texts[key] == "" {
			t.Errorf("%s: no text", key)
		}
	}
	codes := regexp.MustCompile(`Code: +"([a-z_]+)"|(?:failureCode|tooLong)\([^"]*"([a-z_]+)"|e\.Code = "([a-z_]+)"`)
	for _, m := range codes.FindAllStringSubmatch(source, -1) {
		if key := "error." + m[1] + m[2] + m[3]; texts[key] == "" {
			t.Errorf("%s: no text", key)
		}
	}
	named := regexp.MustCompile(`"((?:page|status)\.[a-z_]+)"`)
	for _, m := range named.FindAllStringSubmatch(source, -1) {
		if texts[m[1]] == "" {
			t.Errorf("%s: no text", m[1])
		}
	}
	reasons := regexp.MustCompile(`\.fault\(code\w+, "([a-z_]+)"`)
	for _, m := range reasons.FindAllStringSubmatch(source, -1) {
		if key := "fault." + m[1]; texts[key] == "" {
			t.Errorf("%s: no text", key)
		}
	}
}

// sources is the code that speaks to clients.
func sources(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, pattern := range []string{"../mapping/*.go", "../mapping/*/*.go", "../proxy/*.go", "../proxy/*/*.go",
		"../proxy/docs/*.html", "*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			isTest := strings.HasSuffix(file, "_test.go") || strings.HasSuffix(filepath.Dir(file), "test")
			if isTest || strings.HasPrefix(file, "../proxy/admin/") {
				continue // tests and their helpers, and the admin listener, which speaks English
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(data)
		}
	}
	return text.String()
}

func TestJoin(t *testing.T) {
	for code, want := range map[i18n.Catalog]string{"en": "a, b, and c", "es": "a, b y c", "de": "a, b und c", "fr": "a, b, et c"} {
		if got := code.Join([]string{"a", "b", "c"}); got != want {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
	for items, want := range map[string]string{"": "", "a": "a", "a b": "a and b"} {
		if got := i18n.Catalog("en").Join(strings.Fields(items)); got != want {
			t.Errorf("%q: got %q, want %q", items, got, want)
		}
	}
}

// textKeys lists, sorted, the keys of the texts that the documents need in every language, except for
// the messages of errors.
func textKeys() []string {
	used := keys{}
	openapi.Model("", mapping.Language.Enum[0], used, openapi.Form{Extensions: true})
	return slices.Sorted(maps.Keys(used))
}

// keys has the keys of the texts that were asked for without arguments.
type keys map[string]bool

// Text implements [mapping.Texts].
func (k keys) Text(key string, args map[string]string) string {
	if args == nil {
		k[key] = true
	}
	return key
}

// Join implements [mapping.Texts].
func (keys) Join([]string) string { return "" }
