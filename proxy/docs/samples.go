package docs

import (
	_ "embed" // for the samples
	"strings"
	"text/template"

	"github.com/calfacade/calfacade/mapping"
)

// sample is a request in a programming language.
type sample struct{ Language, Name, Text string }

// sampleNames are the languages of the samples, and their names on the page.
var sampleNames = [][2]string{{"curl", "curl"}, {"typescript", "TypeScript"}, {"python", "Python"}, {"go", "Go"}}

// sampleTexts has a template for each language. The samples need nothing that has to be installed beside the
// language, and TestSamples runs them.
//
//go:embed samples.txt
var sampleTexts string

var sampleTemplates = template.Must(template.New("").Parse(sampleTexts))

// inQuotes escapes JSON for the quotes of each language.
var inQuotes = strings.NewReplacer("'", `\u0027`, "`", `\u0060`)

// samples returns a request in each language. body is encoded as JSON; nil omits the body.
func samples(method, url string, body any, credentials bool) (examples []sample) {
	request := struct {
		Method, URL, Body string
		Credentials       bool
	}{Method: method, URL: url, Credentials: credentials}
	if body != nil {
		request.Body = inQuotes.Replace(string(mapping.EncodeJSON(body)))
	}
	for _, name := range sampleNames {
		var text strings.Builder
		if err := sampleTemplates.ExecuteTemplate(&text, name[0], request); err != nil {
			panic("BUG: " + err.Error())
		}
		examples = append(examples, sample{Language: name[0], Name: name[1], Text: text.String()})
	}
	return examples
}
