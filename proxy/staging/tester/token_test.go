package tester_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/staging/tester"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

const secret = "a key of more than thirty-two characters"

func pass() tester.Pass {
	return tester.Pass{Name: "anna@example.org", Expires: now.Add(time.Hour), Writes: true, Resources: []string{"events"}, Languages: []string{"en", "es"}}
}

func TestToken(t *testing.T) {
	key := tester.NewKey(secret)
	for _, p := range []tester.Pass{pass(), {Name: "a", Expires: now.Add(time.Second)}} {
		token := key.Sign(p)
		got, err := key.Open(token, now)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if again := key.Sign(got); again != token {
			t.Errorf("%s, signed again %s", token, again)
		}
		if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
			t.Errorf("%s needs quotes", token)
		}
	}
}

// TestNoOtherText: every text but a token is refused, and a token with any byte changed.
func TestNoOtherText(t *testing.T) {
	key := tester.NewKey(secret)
	token := key.Sign(pass())
	parts := strings.Split(token, ".")
	other := tester.NewKey("another " + secret).Sign(pass())
	for name, test := range map[string]struct {
		token string
		want  error
	}{
		"empty":               {"", tester.ErrMalformed},
		"a word":              {"opensesame", tester.ErrMalformed},
		"the version alone":   {parts[0], tester.ErrMalformed},
		"no pass":             {parts[0] + "." + parts[2], tester.ErrMalformed},
		"an empty pass":       {parts[0] + ".." + parts[2], tester.ErrForged},
		"no signature":        {parts[0] + "." + parts[1] + ".", tester.ErrForged},
		"a shorter one":       {token[:len(token)-3], tester.ErrForged},
		"another version":     {strings.Replace(token, "-1.", "-2.", 1), tester.ErrMalformed},
		"another key":         {other, tester.ErrForged},
		"another pass":        {parts[0] + "." + strings.Split(key.Sign(tester.Pass{Name: "b", Expires: now.Add(time.Hour)}), ".")[1] + "." + parts[2], tester.ErrForged},
		"padding":             {token + "=", tester.ErrMalformed},
		"spaces":              {" " + token, tester.ErrMalformed},
		"more after it":       {token + "." + parts[2], tester.ErrForged},
		"long":                {token + strings.Repeat("A", tester.MaxTokenLen), tester.ErrMalformed},
		"bits after its end":  {token[:len(token)-1] + next(token[len(token)-1]), tester.ErrMalformed},
		"a signature of none": {parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"name":"eve"}`)) + ".AAAA", tester.ErrForged},
	} {
		if p, err := key.Open(test.token, now); err != test.want || p.Name != "" {
			t.Errorf("%s: %v, %v, want %v", name, p, err, test.want)
		}
	}
	for i := range token {
		for _, c := range []string{"A", "b", ".", "-", "\x00"} {
			if changed := token[:i] + c + token[i+1:]; changed != token {
				if p, err := key.Open(changed, now); err == nil {
					t.Errorf("%s opens: %v", changed, p)
				}
			}
		}
	}
}

// next returns a character of the same first bits: the last of a signature has unused ones.
func next(c byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, c)|1])
}

func TestExpires(t *testing.T) {
	key := tester.NewKey(secret)
	token := key.Sign(pass())
	if _, err := key.Open(token, now.Add(time.Hour-time.Nanosecond)); err != nil {
		t.Errorf("just before: %v", err)
	}
	if p, err := key.Open(token, now.Add(time.Hour)); err != tester.ErrExpired || p.Name != pass().Name {
		t.Errorf("then: %v, %v", p, err)
	}
}

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*tester.Pass)
		want   string
	}{
		"valid":       {func(*tester.Pass) {}, "<nil>"},
		"the longest": {func(p *tester.Pass) { p.Expires = now.Add(8 * time.Hour) }, "<nil>"},
		"too long":    {func(p *tester.Pass) { p.Expires = now.Add(8*time.Hour + 1) }, "it may be valid for 8h0m0s at most"},
		"expired":     {func(p *tester.Pass) { p.Expires = now }, "it would have expired"},
		"no name":     {func(p *tester.Pass) { p.Name = "" }, "a name has 1 to 64 letters, digits and . _ @ -"},
		"a sentence":  {func(p *tester.Pass) { p.Name = "anna and bob" }, "a name has 1 to 64 letters, digits and . _ @ -"},
		"a long name": {func(p *tester.Pass) { p.Name = strings.Repeat("a", 65) }, "a name has 1 to 64 letters, digits and . _ @ -"},
	} {
		p := pass()
		test.change(&p)
		got := "<nil>"
		if err := p.Check(now, 8*time.Hour); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// TestLongestToken: a pass with all that it can have makes a token that is not too long.
func TestLongestToken(t *testing.T) {
	p := tester.Pass{Name: strings.Repeat("a", 64), Expires: now.Add(time.Hour), Writes: true,
		Resources: []string{"categories", "events", "organizers", "tags", "venues"}, Languages: []string{"de", "en", "es", "fr"}}
	if token := tester.NewKey(secret).Sign(p); len(token) > tester.MaxTokenLen {
		t.Errorf("%d bytes", len(token))
	}
}

func FuzzOpen(f *testing.F) {
	key := tester.NewKey(secret)
	f.Add(key.Sign(pass()))
	f.Add("calfacade-tester-1.e30.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		if p, err := key.Open(token, now); err == nil && key.Sign(p) != token {
			t.Errorf("%q opens, and was not signed: %v", token, p)
		}
	})
}
