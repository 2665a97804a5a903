package siteurl

import (
	"bytes"
	"testing"
)

func TestIsRoot(t *testing.T) {
	for raw, want := range map[string]bool{
		"https://a/wp-json": true, "http://a:8080/x/wp-json": true, "https://a": true, "https://a/index.php?rest_route=": true,
		"https://a/wp-json/": false, "https://a/?rest_route=/": false, "https://a/wp-json?x=1": false, "https://a/wp-json#x": false,
		"ftp://a/wp-json": false, "//a/wp-json": false, "/wp-json": false, "https:///wp-json": false, "https://u:p@a/wp-json": false,
		"https://a/%zz": false, "": false,
	} {
		if IsRoot(raw) != want {
			t.Errorf("%s: want %t", raw, want)
		}
	}
}

// TestSplit: the site and WordPress's part, joined, are the root.
func TestSplit(t *testing.T) {
	for _, test := range []struct {
		root      string
		wordPress bool
		site      string
	}{
		{"https://a/wp-json", false, "https://a"},
		{"https://a/de/wp-json", true, "https://a/de"},
		{"https://a/blog/index.php/wp-json", true, "https://a/blog"},
		{"https://a/blog/index.php?rest_route=", true, "https://a/blog"},
		{"https://a/api", true, "https://a"},
		{"https://a/api", false, "https://a/api"},
		{"https://a", true, "https://a"},
	} {
		site, part := Split(test.root, test.wordPress)
		if site != test.site || site+part != test.root {
			t.Errorf("%s, %t: %s and %s, want %s", test.root, test.wordPress, site, part, test.site)
		}
	}
}

// TestWritten: the forms of the recordings create-json and odd-create-website--https-*.
func TestWritten(t *testing.T) {
	for link, want := range map[string]string{
		"https://x.example/?a=1&amp;b=2":  "https://x.example/?a=1&b=2",
		"https://x.example/?a=1&#038;b=2": "https://x.example/?a=1&b=2",
		"https://пример.example/é a":      "https://xn--e1afmkfd.example/%C3%A9%20a",
		"https://x.example?q=ü":           "https://x.example?q=%C3%BC",
		"https://Пример.example:8443/é":   "https://xn--e1afmkfd.example:8443/%C3%A9",
		"https://[::1]:80/é":              "https://[::1]:80/%C3%A9",
		"https://x.example/%C3%A9":        "https://x.example/%C3%A9",
		"/a b":                            "/a%20b",
		"":                                "",
	} {
		if got := Written(link); got != want || Written(got) != got {
			t.Errorf("%s: got %s, want %s", link, got, want)
		}
	}
}

// TestEditQuery: the remaining parameters keep their separators.
func TestEditQuery(t *testing.T) {
	for link, want := range map[string]string{
		"https://a/x": "https://a/x", "https://a/?drop=1": "https://a/", "https://a/?a=1&amp;drop=2&amp;b=3": "https://a/?a=1&amp;b=3",
		"https://a/?drop=1&#038;b=3": "https://a/?b=3", "https://a/?a=1&edit=2&b=3": "https://a/?a=1&edited&b=3",
		"https://a/?drop=1&drop=2": "https://a/", "https://a/?": "https://a/?",
	} {
		text := []byte(link)
		got := EditQuery(text, func(pair []byte) []byte {
			switch {
			case bytes.HasPrefix(pair, []byte("drop")):
				return nil
			case bytes.HasPrefix(pair, []byte("edit")):
				return []byte("edited")
			}
			return pair
		})
		if string(got) != want || string(text) != link {
			t.Errorf("%s: got %s, want %s; now %s", link, got, want, text)
		}
	}
}

// TestSamePage: entities and JSON escapes of the same character are the same.
func TestSamePage(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`https://a/?x=1&y=2`, `https://a/?x=1&amp;y=2`, true},
		{`https:\/\/a\/?x=1&#038;y=2`, `https://a/?x=1&y=2`, true},
		{`https://a/?x=1\u0026y=2`, `https://a/?x=1&amp;y=2`, true},
		{`https://a/?x=1&amp;y=2`, `https://a/?x=1&amp;y=3`, false},
		{`https://a/`, `https://a/x`, false},
		{`https://a/\u00e9`, `https://a/\u00e9`, true},
		{`https://a/\u00e9`, `https://a/\u00e8`, false},
		{``, ``, true},
		{`https://a/?\`, `https://a/?\\u0`, false}, // texts, which no JSON string has
	} {
		if got := SamePage([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("%s %s: got %t", test.a, test.b, got)
		}
	}
}
