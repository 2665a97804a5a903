package onward

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestWebhookExamples runs the functions of docs/caching.md that verify the signature of a notice: they
// accept what [sign] signs, and nothing that is changed, forged or old.
func TestWebhookExamples(t *testing.T) {
	document, err := os.ReadFile("../../docs/caching.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "### Webhooks")
	body := []byte(`{"id":"1","url":"https://api.example.org/\u00e9"}`)
	now := strconv.FormatInt(time.Now().Unix(), 10)
	old := strconv.FormatInt(time.Now().Add(-10*time.Minute).Unix(), 10)
	cases := []struct{ name, timestamp, signature, want string }{
		{"right", now, sign(secret, now, body), "true"},
		{"another body", now, sign(secret, now, append([]byte(" "), body...)), "false"},
		{"another secret", now, sign("another secret of 32 characters!", now, body), "false"},
		{"none", now, "", "false"},
		{"old", old, sign(secret, old, body), "false"},
		{"no time", "now", sign(secret, "now", body), "false"},
	}
	for _, language := range []struct{ name, file, main, call string }{
		{"js", "main.mjs", "%s\n%s", "console.log(verified(%[1]q, %[2]q, %[3]q, Buffer.from(%[4]q)));\n"},
		{"python", "main.py", "%s\n%s", "print(str(verified(%[1]q.encode(), %[2]q, %[3]q, %[4]q.encode())).lower())\n"},
		{"go", "main.go", "package main\n\nimport (\"crypto/hmac\"; \"crypto/sha256\"; \"encoding/hex\"; \"fmt\"; \"strconv\"; " +
			"\"time\")\n\n" +
			"%s\nfunc main() {\n%s}\n", "fmt.Println(verified(%[1]q, %[2]q, %[3]q, []byte(%[4]q)))\n"},
	} {
		t.Run(language.name, func(t *testing.T) {
			command := map[string][]string{"js": {"node"}, "python": {"python3"}, "go": {"go", "run"}}[language.name]
			if _, err := exec.LookPath(command[0]); err != nil && os.Getenv("CI") == "" {
				t.Skip(err)
			}
			example := regexp.MustCompile("(?s)```" + language.name + "\n(.*?)```").FindStringSubmatch(section)
			if example == nil {
				t.Fatal("there is no example")
			}
			var calls, want strings.Builder
			for _, c := range cases {
				fmt.Fprintf(&calls, language.call, secret, c.timestamp, c.signature, body)
				fmt.Fprintln(&want, c.want)
			}
			file := filepath.Join(t.TempDir(), language.file)
			if err := os.WriteFile(file, fmt.Appendf(nil, language.main, example[1], calls.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), command[0], append(command[1:], file)...).CombinedOutput()
			if err != nil || string(out) != want.String() {
				t.Errorf("%v\n%s\nwant\n%s", err, out, want.String())
			}
		})
	}
}
