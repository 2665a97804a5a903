package main

import (
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// notText are the parts of a text of a catalog that have the marks of code.
var notText = regexp.MustCompile("`[^`]*`|{{.*?}}|https?://\\S+|\\d:\\d\\d|about:blank|hh:mm:ss")

// wrongMarks are, by language, marks that the language does not use so.
var wrongMarks = map[string]*regexp.Regexp{
	"fr": regexp.MustCompile(`[^\x{a0}\x{202f}][:;?!](\s|$)|[«][^\x{a0}\x{202f}]|[^\x{a0}\x{202f}][»]|['"]`),
	"de": regexp.MustCompile(`\bBitte\b|["'“][^„]*$`),
	"es": regexp.MustCompile(`["“”]`),
}

// checkTypography holds that the texts of a catalog have the marks of their language.
func checkTypography(module tree, r *report) {
	for file, source := range module.files(".yaml") {
		language := strings.TrimSuffix(path.Base(file), ".yaml")
		wrong := wrongMarks[language]
		if path.Dir(file) != "i18n/catalog" || wrong == nil {
			continue
		}
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(source), &document); err != nil {
			r.add(file, 1, "%v", err)
			continue
		}
		for _, catalog := range document.Content {
			for i := 1; i < len(catalog.Content); i += 2 {
				value := catalog.Content[i]
				r.checked++
				text := notText.ReplaceAllString(value.Value, "x")
				mark := wrong.FindString(text)
				if mark != "" && !(language == "de" && strings.Contains(text, "„")) {
					r.add(file, value.Line, "%q has %q", value.Value, mark)
				}
			}
		}
	}
}
