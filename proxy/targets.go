package proxy

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/maypok86/otter/v2"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// targets remembers what request targets were found to mean, so that a target
// that comes again is neither routed nor parsed: most of what a hit costs in
// this program (BenchmarkHit). What a target means depends on nothing but the
// target, so nothing here ever goes stale.
type targets struct {
	known *otter.Cache[string, *meaning]
}

// meaning is the outcome of routing and parsing a read.
type meaning struct {
	call   *mapping.Call // of a GET
	key    string
	name   string
	query  string
	choice i18n.Choice
	url    *url.URL // for the log
	drafts drafts   // of the lane
}

// Bounds of what is remembered.
const (
	maxTargets   = 10_000
	maxTargetLen = 1_000 // bytes; longer ones are rare, and would take room from others
)

func newTargets() *targets {
	return &targets{known: otter.Must(&otter.Options[string, *meaning]{MaximumSize: maxTargets})}
}

func (t *targets) get(r *http.Request) (*meaning, bool) {
	if !isRead(r.Method) {
		return nil, false
	}
	return t.known.GetIfPresent(r.RequestURI)
}

// learn remembers the target of a read that parsed well, with its key, unless it
// holds a secret.
func (t *targets) learn(x *exchange, key string) {
	r := x.in
	secret := x.call.Secret() || strings.Contains(r.RequestURI, nonceParam)
	if !isRead(r.Method) || len(r.RequestURI) > maxTargetLen || secret {
		return
	}
	t.known.Set(r.RequestURI, &meaning{call: x.call, key: key, name: x.name, query: x.query, choice: x.choice, url: r.URL})
}

// isRead reports whether a method is one that what is remembered holds for.
func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func (m *meaning) apply(x *exchange) {
	x.call, x.key, x.name, x.query, x.choice = m.call, m.key, m.name, m.query, m.choice
	x.endpoint, x.voice = m.call.Endpoint, i18n.Voice(m.choice.Spoken)
}
