package siteurl

import (
	"net/url"
	"strings"
	"testing"
)

func TestRESTRoot(t *testing.T) {
	const plain = "https://a/blog/index.php?rest_route="
	for text, want := range map[string]string{
		"https://a/wp-json":                            "https://a/wp-json",
		"https://a/api/":                               "https://a/api",
		"https://a/blog?rest_route=":                   plain,
		"https://a/blog/?rest_route=/":                 plain,
		"https://a/blog/index.php?rest_route=%2F":      plain,
		"https://a/blog/index.php?rest_route=/":        plain,
		"https://a/blog//?rest_route=%2f/":             plain,
		"https://a/blog/?rest_route=/wp/v2":            "https://a/blog/?rest_route=/wp/v2",
		"https://a/blog/?lang=es&rest_route=/":         "https://a/blog/?lang=es&rest_route=",
		"https://a/blog/?rest_route=/&lang=es":         "https://a/blog/?rest_route=/&lang=es",
		"https://a/blog/index.php/wp-json/":            "https://a/blog/index.php/wp-json",
		"https://a/index.php/index.php/?rest_route=//": "https://a/index.php/index.php?rest_route=",
	} {
		got := Root(text)
		if got != want || Root(got) != got {
			t.Errorf("RESTRoot(%s) = %s, and again %s, want %s", text, got, Root(got), want)
		}
	}
}

// TestRESTURL: WordPress reads the same path in both forms, whatever it contains, and no part
// of it as a parameter.
func TestRESTURL(t *testing.T) {
	const prefix, plain = "https://a/wp-json", "https://a/index.php?rest_route="
	for target, want := range map[string]string{
		"/":                             plain + "/",
		"/tribe/events/v1/events?a=b&c": plain + "/tribe/events/v1/events&a=b&c",
		"/x/by-slug/" + url.PathEscape("a&rest_route=/wp/v2/users") + "?page=2": plain +
			"/x/by-slug/a%26rest_route=%2Fwp%2Fv2%2Fusers&page=2",
		"/x/by-slug/" + url.PathEscape("a+b;c d#e%26?/é"): plain + "/x/by-slug/a%2Bb%3Bc%20d%23e%2526%3F%2F%C3%A9",
	} {
		got := Join(plain, target)
		if got != want {
			t.Errorf("%s becomes %s, want %s", target, got, want)
		}
		parsed, err := url.Parse(Join(prefix, target))
		if err != nil {
			t.Fatal(err)
		}
		plainURL, err := url.Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		routes := plainURL.Query()["rest_route"]
		path := strings.TrimPrefix(parsed.Path, "/wp-json")
		if len(routes) != 1 || routes[0] != path {
			t.Errorf("%s: WordPress reads %q, want %q", target, routes, path)
		}
		for root, spelled := range map[string]string{prefix: target, plain: strings.Replace(strings.TrimPrefix(want, plain), "&", "?", 1)} {
			if back, ok := Target(root, Join(root, target)); back != spelled || !ok {
				t.Errorf("%s: %s is back %s, %t", root, target, back, ok)
			}
		}
	}
	for _, foreign := range []string{"https://a/wp-json2/x", "https://a/wp-json", "https://b/wp-json/x", "https://a/?rest_route=/x"} {
		if target, ok := Target(prefix, foreign); ok {
			t.Errorf("%s is %s below %s", foreign, target, prefix)
		}
	}
}
