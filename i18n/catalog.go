package i18n

import (
	"embed"
	"strings"

	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"
)

//go:embed catalog/*.yaml
var files embed.FS

var localizers = load()

// load reads the catalogs. They are part of the binary, so a fault in them is a
// fault of the build.
func load() map[string]*goi18n.Localizer {
	bundle := goi18n.NewBundle(language.English)
	loaded := map[string]*goi18n.Localizer{}
	bundle.RegisterUnmarshalFunc("yaml", yaml.Unmarshal)
	for _, code := range Codes {
		if _, err := bundle.LoadMessageFileFS(files, "catalog/"+code+".yaml"); err != nil {
			panic("BUG: catalog: " + err.Error())
		}
		loaded[code] = goi18n.NewLocalizer(bundle, code)
	}
	return loaded
}

// Catalog speaks the language of its code, one of [Codes].
type Catalog string

// Text returns the text of key; args fill the placeholders. Each call runs a template, which is slow: successful
// responses should need no text.
func (v Catalog) Text(key string, args map[string]string) string {
	text, err := localizers[string(v)].Localize(&goi18n.LocalizeConfig{MessageID: key, TemplateData: args})
	if err != nil {
		panic("BUG: no text " + key + " in " + string(v))
	}
	return text
}

// Join lists items in words: "en, fr, de, and es".
func (v Catalog) Join(items []string) string {
	n := len(items)
	switch n {
	case 0, 1:
		return strings.Join(items, "")
	case 2:
		return items[0] + v.Text("list.pair", nil) + items[1]
	default:
		return strings.Join(items[:n-1], ", ") + v.Text("list.last", nil) + items[n-1]
	}
}
