package main

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	configured := []string{"en", "es", "de"}
	for _, test := range []struct{ flag, want, err string }{
		{"", "en,de", ""},
		{"de,en", "en,de", ""},
		{"fr", "", `"fr" is not one of the configured languages`},
		{"de,es", "", `the candidate has no upstream for "es"`},
		{"de,", "", `"" is not one of the configured languages`},
	} {
		f := surveyFlags{languages: test.flag}
		got, err := f.choose(configured, func(code string) bool { return code != "es" })
		if strings.Join(got, ",") != test.want || test.err == "" && err != nil || test.err != "" &&
			(err == nil || err.Error() != test.err) {
			t.Errorf("%q: got %v, %v; want %s, %s", test.flag, got, err, test.want, test.err)
		}
	}
}
