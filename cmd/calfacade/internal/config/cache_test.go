package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/freshness"
)

// Every key of cache and admin, each with another value than its default.
func TestParseConfigCache(t *testing.T) {
	const doc = `
admin_listen: 0.0.0.0:90
admin: {token: 0123456789012345678901}
cache:
  redis: [redis://:opensesame@a:1, "redis://:opensesame@b:1"]
  prefix: site-2
  memory: 1GiB
  ttl: {events: 0s, tags: 1h, errors: 0s}
  stale_while_revalidate: 0s
  stale_if_error: 0s
  zone: Europe/London
  ignore_cookies: []
`
	want := minimalConfig()
	want.AdminListen = "0.0.0.0:90"
	want.Admin.Token = NewSecret("0123456789012345678901")
	want.Cache = Cache{
		Redis:        NewSecrets([]string{"redis://:opensesame@a:1", "redis://:opensesame@b:1"}),
		RedisTimeout: 250 * time.Millisecond, Prefix: "site-2", WithoutRedis: "serve",
		Memory: 1 << 30,
		Options: freshness.Options{
			TTL: TTLs{
				"events": 0, "venues": 5 * time.Minute, "organizers": 5 * time.Minute, "categories": 10 * time.Minute, "tags": time.Hour,
				"errors": 0,
			},
			SiteHeaders: "limit",
		},
		SiteZone: "Europe/London",
	}
	got, err := Parse("c.yaml", []byte(readFile(t, minimalFile)+doc), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(want, got, networks) { // a diff would show *** alone
		t.Errorf("got %v, want %v", leaves(got), leaves(want))
	}
}

// A Redis is one text or a list; "" and [] disable Redis.
func TestParseConfigRedis(t *testing.T) {
	for value, want := range map[string][]string{
		`""`:                            nil,
		`[]`:                            nil,
		`"redis://:a,b@h"`:              {"redis://:a,b@h"}, // commas separate in the environment alone
		`[redis://h]`:                   {"redis://h"},
		`&r "unix:///run/redis.sock"`:   {"unix:///run/redis.sock"},
		`[&r "redis://h", "redis://i"]`: {"redis://h", "redis://i"},
	} {
		cfg := Default()
		d := document{name: "c.yaml"}
		if err := d.decode([]byte("cache: {redis: "+value+"}"), &cfg); err != nil || d.problems != nil {
			t.Errorf("%s: %v, %v", value, err, d.problems)
		}
		if diff := cmp.Diff(want, cfg.Cache.Redis.Reveal()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
}

// Both of a collection's reads have the same time to live, so that one key of the
// configuration can stand for them.
func TestTableTTLs(t *testing.T) {
	got := tableTTLs()
	for _, e := range mapping.Table {
		reads := e.Action == mapping.List || e.Action == mapping.Read
		if reads && e.TTL != got[e.Resource] || !reads && e.TTL != 0 {
			t.Errorf("%s: time to live %s, and the collection's is %s", e.Name(), e.TTL, got[e.Resource])
		}
	}
	if diff := cmp.Diff(len(mapping.Resources())+len([]string{freshness.Errors}), len(got)); diff != "" {
		t.Errorf("collections (-table +got): %s", diff)
	}
}

// However a configuration is printed, its secrets are not in it.
func TestSecretsDoNotPrint(t *testing.T) {
	const secret = "opensesame-0123456789"
	c := minimalConfig()
	c.Admin.Token = NewSecret(secret)
	c.Cache.Redis = NewSecrets([]string{"redis://:" + secret + "@h", secret})
	c.Upstream.BasicAuth = NewSecret("u:" + secret)
	c.Upstream.Headers = NewSecrets([]string{"X-Key: " + secret})
	inner := struct{ c Config }{c}

	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		fmt.Fprintf(&out, verb+"\n", c)
		fmt.Fprintf(&out, verb+"\n", &c)
		fmt.Fprintf(&out, verb+"\n", inner)
		fmt.Fprintf(&out, verb+"\n", c.Admin.Token)
		fmt.Fprintf(&out, verb+"\n", c.Cache.Redis)
	}
	fmt.Fprintln(&out, c, c.Admin.Token, c.Cache.Redis)
	for _, marshal := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal} {
		text, err := marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(&out), zap.DebugLevel))
	log.Info("m", zap.Any("config", c), zap.Any("token", c.Admin.Token), zap.Stringer("s", c.Admin.Token), zap.Any("redis", c.Cache.Redis))
	log.Sugar().Infof("%v %s", c, c.Admin.Token)

	hexed := fmt.Sprintf("%x", secret)
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, secret) || strings.Contains(strings.ToLower(line), hexed) {
			t.Errorf("shown: %s", line)
		}
	}
	if !strings.Contains(out.String(), hidden) {
		t.Errorf("nothing shows that there is a secret: %s", out.String())
	}
	if got := fmt.Sprint(NewSecret("")); got != "" {
		t.Errorf("no secret prints %q", got)
	}
}

// No error about a configuration quotes a value that may be a secret.
func TestErrorsQuoteNoSecret(t *testing.T) {
	minimal := readFile(t, minimalFile)
	for _, doc := range []string{
		"admin: opensesame", "admin: [opensesame]", "cache: opensesame", "cache: redis://:opensesame@h",
		"admin: {token: [opensesame]}", "admin: {token: {a: opensesame}}", "admin: {token: opensesame}",
		"cache: {redis: opensesame}", "cache: {redis: {url: opensesame}}", "cache: {redis: [[opensesame]]}",
		"cache: {redis: ['redis://:opensesame@h:port']}", "cache: {redis: 'redis://:open%sesame@h'}",
		"cache: {redis: 'redis://h/opensesame'}", "cache: {redis: 'redis://h?opensesame=1'}", "cache: {redis: ['redis://h', 'opensesame']}",
	} {
		_, err := Parse("c.yaml", []byte(minimal+doc), nil)
		if err == nil {
			t.Errorf("%s: no error", doc)
			continue
		}
		for _, part := range []string{"opensesame", "openses", "sesame"} {
			if strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v", doc, err)
			}
		}
	}
	// A number is a token too.
	for _, token := range []string{"1234567890.12345678", "123456789012345678901234567890", "1234567890123456",
		"0x1234567890abcdef", "2026-11-21T10:00:00Z"} {
		cfg, err := Parse("c.yaml", []byte(minimal+"admin: {token: "+token+"}"), nil)
		if err != nil || cfg.Admin.Token.Reveal() != token {
			t.Errorf("%s: got %s, %v", token, cfg.Admin.Token.Reveal(), err)
		}
	}
}

func TestIgnoredCookiesAreSorted(t *testing.T) {
	if !slices.IsSorted(ignoredCookies) {
		t.Errorf("%q", ignoredCookies)
	}
}
