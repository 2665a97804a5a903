package config

import "testing"

func TestHint(t *testing.T) {
	names := []string{"check", "purge", "serve", "stage"}
	for unknown, want := range map[string]string{
		"chekc": `: did you mean "check"?`,
		"serv":  `: did you mean "serve"?`,
		"purge": `: did you mean "purge"?`,
		"pa":    "",
		"":      "",
		"index": "",
	} {
		if got := Hint(unknown, names); got != want {
			t.Errorf("%s: got %s, want %s", unknown, got, want)
		}
	}
}
