package pictures

import "strings"

// room is a package, or several with a common subject.
type room struct {
	pkg     string // its directory
	subject string
}

// The groups of rooms: all packages of the program, without those that are below cmd. TestRooms and
// TestAllRooms compare them with the imports.
var (
	program = []room{
		{"cmd/calfacade", "the program: commands, configuration"},
	}
	spine = []room{
		{"proxy", "router, resolve, answer, respond"},
	}
	concerns = []room{
		{"proxy/lane", "plain hits"},
		{"proxy/secure", "TLS"},
		{"proxy/socket", "system calls"},
		{"proxy/edge", "admission"},
		{"proxy/router", "language, row"},
		{"proxy/identity", "credentials"},
		{"proxy/staging", "migration"},
		{"proxy/freshness", "lifetimes"},
		{"proxy/upstream", "calls to sites"},
		{"proxy/fair", "slots of clients"},
		{"proxy/problem", "errors"},
		{"proxy/telemetry", "metrics"},
		{"proxy/tracing", "spans"},
		{"proxy/admin", "metrics, purges"},
		{"proxy/admin/statuspage", "status page"},
		{"proxy/staging/fleet", "joint decisions"},
		{"proxy/staging/tester", "testers' tokens"},
		{"proxy/legacyclients", "old names"},
		{"proxy/docs", "documentation"},
		{"proxy/audit", "stale answers"},
		{"proxy/surrogate", "tags in front"},
		{"proxy/onward", "purges in front"},
		{"proxy/probe", "what a site is"},
		{"proxy/recording", "record, replay"},
	}
	entries = []room{
		{"cache", "entries, purges"},
		{"cache/redisstore", "in Redis"},
	}
	contract = []room{
		{"mapping/openapi", "documents"},
		{"mapping/rewrite", "neutral names"},
		{"mapping/tec", "tec/v1"},
		{"mapping/compare", "differences"},
		{"mapping/crawl", "lists and items"},
	}
	table = []room{
		{"mapping", "the table: the contract"},
	}
	syntax = []room{
		{"mapping/dates", "PHP's dates"},
		{"mapping/siteurl", "URLs of sites"},
		{"mapping/jsonscan", "JSON in place"},
	}
	texts = []room{
		{"i18n", "languages, texts"},
	}
)

// floors are the rooms from the top to the bottom: none imports one that is above it.
func floors() [][]room {
	return [][]room{
		program, spine, concerns,
		append(entries[:1:1], contract...), {entries[1], table[0]}, append(syntax[:len(syntax):len(syntax)], texts...),
	}
}

// Rooms returns the rooms as text: what is further to the right is imported by what is
// further to the left, and not the other way round.
func Rooms() string {
	var b strings.Builder
	b.WriteString("```\n")
	for indent, floor := range floors() {
		for _, r := range floor {
			name := strings.Repeat("    ", indent) + r.pkg
			b.WriteString(" " + name + strings.Repeat(" ", max(1, 44-len(name))) + r.subject + "\n")
		}
	}
	b.WriteString("```\n")
	return b.String()
}
