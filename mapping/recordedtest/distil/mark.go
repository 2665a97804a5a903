package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/calfacade/calfacade/i18n"
)

// mark returns the mark of a run of words: equal for equal runs, with the letters of it that are not ASCII. A long run has a long
// mark, of 100 or 1,000 bytes at least.
func mark(run string) string {
	sum := sha256.Sum256([]byte(run))
	name := fmt.Sprintf("text-%x", sum[:4])
	for _, r := range run {
		if r >= utf8.RuneSelf && !strings.ContainsRune(name, r) && r != '\u00a0' {
			name += string(r)
		}
	}
	for _, length := range []int{1000, 100} {
		if len(run) >= length {
			return name + strings.Repeat(" "+name, length/len(name))
		}
	}
	return name
}

const (
	// fact is a part of a text that is no words: marks, references to the catalogs, tags, entities, code, and words with the
	// characters of names.
	fact = "text-[0-9a-f]{8}[^\\s<>&\"]*|\\{\\{[^}]*\\}\\}|<[^>]*>|&#?\\w+;|`[^`]*`|" +
		"[^\\s<>&\"()]*[/\\\\_$@][^\\s<>&\"()]*|\\w+\\(|\\w+(?:->|::)\\w+|\\{\\w+\\}"
	// proseRun is several words, with what stands between words.
	proseRun = `[\p{L}\p{M}][\p{L}\p{M}'’]*(?:[,;:.]? [\p{L}\p{M}][\p{L}\p{M}'’]*)+`
)

var words = regexp.MustCompile(proseRun)

// factsBeside are the patterns of facts and of further names.
var factsBeside = map[string]*regexp.Regexp{}

// markProse marks each run of words in a text. Single words, numbers, tags, code and the given names stay.
func markProse(text string, names []string) string {
	pattern := fact
	for _, name := range names {
		if name != "" {
			pattern = `\b` + regexp.QuoteMeta(name) + `\b|` + pattern
		}
	}
	if factsBeside[pattern] == nil {
		factsBeside[pattern] = regexp.MustCompile(pattern)
	}
	var out strings.Builder
	for text != "" {
		at := factsBeside[pattern].FindStringIndex(text)
		if at == nil {
			at = []int{len(text), len(text)}
		}
		out.WriteString(words.ReplaceAllStringFunc(text[:at[0]], mark))
		out.WriteString(text[at[0]:at[1]])
		text = text[at[1]:]
	}
	return out.String()
}

var pageParts = regexp.MustCompile(`(?s)<html[^>]*>|<title>.*?</title>|<link [^>]*(?:api\.w\.org|application/json)[^>]*>`)

// markPage returns the skeleton of a page: its language, title and links to the interface. A page of the web server stays, as does
// a skeleton.
func markPage(page string) string {
	if strings.Contains(page, "<center>nginx/") || strings.Contains(page, "<body>text-") {
		return page
	}
	var out strings.Builder
	out.WriteString("<!DOCTYPE html>\n")
	for _, part := range pageParts.FindAllString(page, -1) {
		out.WriteString(markProse(part, nil) + "\n")
	}
	return out.String() + "<body>" + mark(pageParts.ReplaceAllString(page, "")) + "</body>\n</html>\n"
}

// catalogTexts are the texts of the catalogs that are equal to the site's, with their placeholders.
var catalogTexts = []struct {
	key    string
	params []string
}{
	{key: "error.invalid_parameter"},
	{key: "error.rest_forbidden"},
	{key: "error.rest_invalid_json"},
	{key: "error.rest_invalid_namespace"},
	{key: "error.rest_invalid_param", params: []string{"Params"}},
	{key: "error.rest_missing_callback_param", params: []string{"Params"}},
	{key: "error.rest_no_route"},
	{key: "fault.between", params: []string{"Param", "Min", "Max"}},
	{key: "fault.enum", params: []string{"Param", "List"}},
	{key: "fault.min", params: []string{"Param", "Min"}},
	{key: "fault.type", params: []string{"Param", "Type"}},
}

// catalogTemplates are patterns of these texts in each language, by the beginning of a reference to one.
var catalogTemplates = func() map[string]*regexp.Regexp {
	templates := map[string]*regexp.Regexp{}
	for _, language := range i18n.Codes {
		for _, entry := range catalogTexts {
			places := map[string]string{}
			for _, param := range entry.params {
				places[param] = "PLACE" + param + "PLACE"
			}
			pattern := regexp.QuoteMeta(i18n.Catalog(language).Text(entry.key, places))
			for _, param := range entry.params {
				value := `[^|{}"]+`
				if param == "Param" {
					value = `\w+`
				}
				pattern = strings.Replace(pattern, places[param], "(?P<"+param+">"+value+")", 1)
			}
			templates[language+" "+entry.key] = regexp.MustCompile("^" + pattern + "$")
		}
	}
	return templates
}()

// catalogReference returns the reference to the text of the catalogs that is equal to a text; "" for none.
func catalogReference(text string) string {
	for _, key := range slices.Sorted(maps.Keys(catalogTemplates)) {
		template := catalogTemplates[key]
		values := template.FindStringSubmatch(text)
		if values == nil {
			continue
		}
		reference := "{{" + key
		for i, param := range template.SubexpNames()[1:] {
			reference += "|" + param + "=" + values[i+1]
		}
		return reference + "}}"
	}
	return ""
}
