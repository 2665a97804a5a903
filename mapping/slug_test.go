package mapping

import "testing"

// TestSafeSlug tests the slugs of the recordings update-slug-* and odd-by-slug-*.
func TestSafeSlug(t *testing.T) {
	for slug, want := range map[string]string{
		"night walk": "night-walk", "UPPER": "upper", "rock+roll": "rockroll", "50%-off": "50-off",
		"a%2F..%2Fb": "a%2f-%2fb", "a?b#c&d;e": "abce", "2027": "2027", "a_b": "a_b", "-a-": "a", "a--b": "a-b",
		"...": "", "-": "", "~": "", " ": "", "/": "", "--": "", "’": "", "\u00a0": "", "%": "", "<b></b>": "", "<b": "",
		"%d7%a9": "%d7%a9", "שלום": "שלום", "🎉": "🎉",
	} {
		if got := SafeSlug(slug); got != want {
			t.Errorf("%q: got %q, want %q", slug, got, want)
		}
	}
}

func TestSameSlug(t *testing.T) {
	for _, test := range []struct {
		requested, stored string
		want              bool
	}{
		{"night-walk", "night-walk", true},
		{"Night walk", "night-walk", true},
		{"%d7%a9", "%d7%a9", true},
		{"שלום", "%d7%a9%d7%9c%d7%95%d7%9d", true},
		{"café", "cafe", true},
		{"café", "", false},
		{"night-walk", "night-walk-2", false},
		{"-", "", false},
		{"a", "", false},
	} {
		if got := SameSlug(test.requested, test.stored); got != test.want {
			t.Errorf("%q %q: got %t", test.requested, test.stored, got)
		}
	}
}
