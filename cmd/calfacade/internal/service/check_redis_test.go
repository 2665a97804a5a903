package service

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

func TestCheckRedis(t *testing.T) {
	s := redistest.StartServer(t)
	replica := redistest.StartServer(t)
	host, port, _ := strings.Cut(s.Address, ":")
	replica.Do("REPLICAOF", host, port)
	s.Do("ACL", "SETUSER", "reader", "on", ">s3cr3t", "~*", "+@read", "+@connection", "+info")
	s.Do("ACL", "SETUSER", "hardened", "on", ">s3cr3t", "~*", "&*", "+@all", "-@dangerous") // INFO is dangerous
	urlOf := func(name, password string) string {
		u, err := url.Parse(s.URL())
		redistest.Must(t, err)
		u.User = url.UserPassword(name, password)
		return u.String()
	}
	set := func(args ...any) func() {
		return func() { s.Do(append([]any{"CONFIG", "SET"}, args...)...) }
	}
	for _, test := range []struct {
		name    string
		urls    []string
		prepare func() // nil: nothing
		problem string // pattern; "" without a problem
		note    string
	}{
		{"down", []string{"redis://127.0.0.1:1"}, nil, `is not reachable \(.*refused`, ""},
		{"no such host", []string{"redis://redis..invalid"}, nil, `is not reachable \(.*redis\.\.invalid`, ""}, // no resolver is asked
		{"wrong password", []string{urlOf("reader", "wr0ng")}, nil, `refuses the credentials of the URL.*\(.*WRONGPASS`, ""},
		{"denied command", []string{urlOf("reader", "s3cr3t")}, nil,
			`does not allow a command: docs/recipes/redis\.md.*\(NOPERM`, `has no maxmemory`},
		{"denied INFO", []string{urlOf("hardened", "s3cr3t")}, nil,
			`does not allow a command: docs/recipes/redis\.md.*\(NOPERM .*'info'`, `does not report its version`},
		{"no such database", []string{s.URL() + "/4000"}, nil, `has no database of that number`, ""},
		{"no cluster", []string{s.URL(), replica.URL()}, nil, `is no cluster, but several URLs`, ""},
		{"no Sentinel", []string{s.URL() + "?master_name=calendar"}, nil, `does not work \(.*sentinel`, ""},
		{"replica", []string{replica.URL()}, nil, `is a replica and refuses writes`, `has no maxmemory`},
		{"unlimited", []string{s.URL()}, nil, "", `has no maxmemory`},
		{"evicts the log", []string{s.URL()}, set("maxmemory", "100mb", "maxmemory-policy", "allkeys-lru"),
			`may evict the purge log \(maxmemory-policy allkeys-lru\).*volatile-lru`, ""},
		{"evicts nothing", []string{s.URL()}, set("maxmemory-policy", "noeviction"), "", `is not used while it is full`},
		{"full", []string{s.URL()}, set("maxmemory", "1"), `is full and refuses writes: raise maxmemory`, `is not used while`},
		{"good", []string{s.URL()}, set("maxmemory", "100mb", "maxmemory-policy", "volatile-lru"), "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.prepare != nil {
				test.prepare()
			}
			r, err := redisstore.Open(redisstore.Options{URLs: test.urls, Brief: time.Minute})
			report := reportOnRedis(t.Context(), redistest.Closing(t, r, err))
			for _, setup := range []struct {
				lines []string
				want  string
			}{{report.Problems, test.problem}, {report.Notes, test.note}} {
				if (setup.want == "") != (len(setup.lines) == 0) || setup.want != "" &&
					!slices.ContainsFunc(setup.lines, regexp.MustCompile(setup.want).MatchString) {
					t.Errorf("%q, want %q", setup.lines, setup.want)
				}
			}
			if problems := strings.Join(report.Problems, "\n"); strings.Contains(problems, "s3cr3t") || strings.Contains(problems, "wr0ng") {
				t.Errorf("contains a password: %s", problems)
			}
		})
	}
}

func TestCheckRedisVersion(t *testing.T) {
	for version, problem := range map[string]bool{
		"5.0.14": true, "6.0.16": true, "6.2.0": false, "7.2.4": false, "10.0.0": false, "": false,
	} {
		var p RedisReport
		p.add(redisstore.Server{Version: version})
		if got := len(p.Problems) > 0; got != problem {
			t.Errorf("%q: %q", version, p.Problems)
		}
	}
}
