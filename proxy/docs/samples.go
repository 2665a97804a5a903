package docs

import (
	"strings"
	"text/template"

	"github.com/calfacade/calfacade/mapping"
)

// sample is a request in a programming language.
type sample struct{ Language, Name, Text string }

// sampleTemplates make the samples, by the name that the page shows. They need nothing that has to be installed
// beside the language, and TestSamples runs them.
var sampleTemplates = []struct {
	language, name string
	text           *template.Template
}{
	{"curl", "curl", parseSample(`curl -s{{if .Credentials}} -u "$USER_NAME:$PASSWORD"{{end}}
{{- if ne .Method "GET"}} -X {{.Method}}{{end}}
{{- with .Body}} -H 'Content-Type: application/json' -d '{{.}}'{{end}} '{{.URL}}'`)},
	{"typescript", "TypeScript", parseSample(`const response = await fetch("{{.URL}}"
{{- if or .Credentials .Body}}, {
  method: "{{.Method}}",
  headers: {
{{- if .Credentials}}
    "Authorization": "Basic " + btoa(userName + ":" + password),{{end}}
{{- if .Body}}
    "Content-Type": "application/json",{{end}}
  },
{{- with .Body}}
  body: JSON.stringify({{.}}),{{end}}
}{{end}});
if (!response.ok) {
  throw new Error(await response.text());
}
console.log(await response.json());`)},
	{"python", "Python", parseSample(`import json, urllib.request
{{if .Credentials}}import base64
{{end}}
request = urllib.request.Request("{{.URL}}", method="{{.Method}}")
{{- if .Credentials}}
login = base64.b64encode(f"{user_name}:{password}".encode()).decode()
request.add_header("Authorization", "Basic " + login){{end}}
{{- with .Body}}
request.add_header("Content-Type", "application/json")
request.data = r'{{.}}'.encode(){{end}}
with urllib.request.urlopen(request) as response:
    print(json.load(response))`)},
	{"go", "Go", parseSample(`request, err := http.NewRequest("{{.Method}}", "{{.URL}}", ` +
		"{{with .Body}}strings.NewReader(`{{.}}`){{else}}nil{{end}}" + `)
if err != nil {
	return err
}
{{- if .Credentials}}
request.SetBasicAuth(userName, password){{end}}
{{- if .Body}}
request.Header.Set("Content-Type", "application/json"){{end}}
response, err := http.DefaultClient.Do(request)
if err != nil {
	return err
}
defer response.Body.Close()
_, err = io.Copy(os.Stdout, response.Body)
return err`)},
}

func parseSample(text string) *template.Template { return template.Must(template.New("").Parse(text)) }

// inQuotes writes JSON so that it can stand between the quotes of each language.
var inQuotes = strings.NewReplacer("'", `\u0027`, "`", `\u0060`)

// samples returns a request in each language. body is encoded as JSON; nil for none.
func samples(method, url string, body any, credentials bool) (all []sample) {
	request := struct {
		Method, URL, Body string
		Credentials       bool
	}{Method: method, URL: url, Credentials: credentials}
	if body != nil {
		request.Body = inQuotes.Replace(string(mapping.EncodeJSON(body)))
	}
	for _, s := range sampleTemplates {
		var text strings.Builder
		if err := s.text.Execute(&text, request); err != nil {
			panic("BUG: " + err.Error())
		}
		all = append(all, sample{s.language, s.name, text.String()})
	}
	return all
}
