package main

import (
	"strings"
	"testing"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/probe"
)

// TestInitWritesNoPassword: credentials in the URL of a site do not get into its configuration.
func TestInitWritesNoPassword(t *testing.T) {
	found := probe.Discovered{Roots: i18n.Languages{{Code: "en"}}}
	text := newDraft("https://somebody:opensesame@www.example.org/blog", "https://api.example.org", found).String()
	if strings.Contains(text, "opensesame") || !strings.Contains(text, "for https://www.example.org/blog,\n") {
		t.Errorf("got %s", text)
	}
}

// TestInitNotes: the text of a site stays within the comment that quotes it.
func TestInitNotes(t *testing.T) {
	d := newDraft("https://www.example.org", "https://api.example.org", probe.Discovered{Roots: i18n.Languages{{Code: "en"}}})
	plain := strings.Count(d.String(), "\n")
	d.Notes = []string{"en: a\nadmin: {token: 1}", "b\r\u0085\u2028c\x1b[31m"}
	if text := d.String(); strings.Count(text, "\n") != plain+2 || !strings.Contains(text, `
# en: a\nadmin: {token: 1}
# b\r\u0085\u2028c\x1b[31m`) {
		t.Errorf("got %q", text)
	}
}
