package main

import (
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy/probe"
)

// TestInitWritesNoPassword: credentials in the URL of a site do not get into its configuration.
func TestInitWritesNoPassword(t *testing.T) {
	text := newDraft("https://somebody:opensesame@www.example.org/blog", "https://api.example.org", probe.Discovered{}).String()
	if strings.Contains(text, "opensesame") || !strings.Contains(text, "for https://www.example.org/blog,\n") {
		t.Errorf("got %s", text)
	}
}
