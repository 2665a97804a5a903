package view

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// plainCases has texts in HTML, and each as people read it.
var plainCases = map[string]string{
	"":          "",
	"Jazz":      "Jazz",
	"5 > 3 % 2": "5 > 3 % 2",

	// entities
	"Poetry &#038; Pints":             "Poetry & Pints",
	"Jazz on a Summer&#8217;s Day":    "Jazz on a Summer’s Day",
	"&lt;b&gt;bold&lt;/b&gt; claims":  "<b>bold</b> claims",
	"&amp;lt;b&amp;gt;":               "&lt;b&gt;",
	"&#8364;10 &ndash; &euro;&nbsp;5": "€10 – €\u00a05",
	"Q&A, R&B, AT&T, a&b=c":           "Q&A, R&B, AT&T, a&b=c",
	"&unknown; &#0; &#xd800; &#9;x":   "&unknown; \ufffd \ufffd x",
	"&#150; &#x80;":                   "– €",

	// emoji and other scripts
	"🎉 Party &#x1f389;&#127881;":                                             "🎉 Party 🎉🎉",
	"👩‍👩‍👧 &#x1f468;&#x200d;&#x1f469;":                                       "👩‍👩‍👧 👨‍👩",
	`Hi <img class="emoji" alt="🎉" src="https://s.w.org/x.svg">!`:            "Hi 🎉!",
	`<img src="a.png" alt="a boat" class="alignleft">Hi`:                     "Hi",
	`<p dir="rtl">مرحبا بكم؛ الدخول مجاني.</p>` + "\n" + `<p>שלום &amp;</p>`: "مرحبا بكم؛ الدخول مجاني.\n\nשלום &",
	"\u202bאב\u202c &rlm;x":                                                  "\u202bאב\u202c \u200fx",
	"日本語<br />テキスト":                                                          "日本語\nテキスト",

	// tags, blocks and breaks
	"Arts &amp; Culture <em>(en)</em> &amp; <b>more</b>":                                   "Arts & Culture (en) & more",
	"<p>One.</p>\n<p>Two<br />\nlines.</p>\n":                                              "One.\n\nTwo\nlines.",
	"a<br>b<br/>c<br><br><br><br>d":                                                        "a\nb\nc\n\nd",
	"<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>x":                                    "a\nb\n\nc\n\nx",
	"<div>a</div><div>b</div>c":                                                            "a\nb\nc",
	"<table><tr><th>Day</th><th>Time</th></tr><tr><td> 1 </td><td>18:00</td></tr></table>": "Day\tTime\n1\t18:00",
	"  a \n\t b  ":                        "a b",
	"a <b> b </b> c":                      "a b c",
	"<pre>a  b\n  c</pre>d  e":            "a  b\n  c\n\nd e",
	"H<sub>2</sub>O wo<wbr>rd&shy;s":      "H2O word\u00ads",
	"<p></p><p>&nbsp;</p><p>a</p><p></p>": "\u00a0\n\na",

	// links are their text
	`<a href="https://a.example/?x=1&amp;y">Tickets &amp; more</a>`: "Tickets & more",
	`<p>http://a.example/?a=1&#038;b=2</p>`:                         "http://a.example/?a=1&b=2",
	`<a href="javascript:alert(1)" title="<b>x</b>">go</a>`:         "go",
	"[shortcode] stays": "[shortcode] stays",
	`<figure><img src="x"><figcaption>Hall</figcaption></figure>end`: "Hall\n\nend",

	// what browsers do not show
	"a<script>alert('<b>x</b>')</script>b":                  "ab",
	"a<SCRIPT type=x>1</SCRIPT >b<style>p{}</style>c":       "abc",
	"a<script>alert(1)":                                     "a",
	"<scr<script>x</script>ipt>y":                           "xipt>y",
	"a<!-- wp:paragraph --><p>b</p><!-- /wp:paragraph -->":  "a\n\nb",
	"<template><p>x</p><template>y</template>z</template>a": "a",
	`<video controls><a href="x.mp4">x.mp4</a></video>b`:    "b",
	`<iframe src="x"><p>y</p></iframe>b`:                    "b",
	"<noscript><img src=x></noscript>b<title>c</title>":     "b",
	"<style/>p{}</style>a":                                  "a",

	// malformed HTML
	"a < b && c > d":    "a < b && c > d",
	"1<2":               "1<2",
	"<":                 "<",
	"a <b":              "a",
	"a </b c":           "a",
	"</p></div>x</pre>": "x",
	"<p<b>x":            "x",
	"a\x00b\x07c\x7f":   "abc",
}

func TestPlain(t *testing.T) {
	for source, want := range plainCases {
		got, changed := Plain([]byte(source))
		if !changed {
			got = source
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
		if changed == (source == want) {
			t.Errorf("%q: changed %t", source, changed)
		}
	}
}

// FuzzPlain: a text is shown without markup of its own, without control characters, and is no longer than bounded by
// its source.
func FuzzPlain(f *testing.F) {
	for source := range plainCases {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if !utf8.ValidString(source) {
			return
		}
		got, changed := Plain([]byte(source))
		if !changed {
			got = source
		}
		if len(got) > 2*len(source) || !utf8.ValidString(got) {
			t.Fatalf("%q: %d bytes: %q", source, len(got), got)
		}
		if i := strings.IndexFunc(got, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }); i >= 0 {
			t.Fatalf("%q: %q has a control character", source, got)
		}
		if got != strings.Trim(got, " \t\n") || strings.Contains(got, strings.Repeat("\n", maxLines+1)) {
			t.Fatalf("%q: %q has white space", source, got)
		}
		secret := "script" + "1" // a text of a script is never shown
		inside := "<script>" + secret + "</script>"
		if shown, _ := Plain([]byte(inside + source)); strings.Contains(shown, secret) && !strings.Contains(source, secret) {
			t.Fatalf("%q: %q shows a script", source, shown)
		}
	})
}
