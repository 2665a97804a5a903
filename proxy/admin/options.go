package admin

import (
	"context"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// Options configure an [Admin].
type Options struct {
	Token      string // the bearer token of /purge and /staging; "" disables them
	PurgeToken string // another bearer token, of /purge alone; "" disables it
	Cache      Purger
	Site       i18n.Languages // the languages with the codes in tags

	Secrets Secrets                        // compares Token
	Client  func(*http.Request) netip.Addr // the address that wrong tokens count for
	Hosts   []string                       // host names of the listener, beside addresses and localhost

	Migration Migration // to another backend; nil disables it

	Onward *onward.Deliverer // passes purges on

	Page   *PageState                           // of the status page, outlives the Admin
	Switch WriteSwitch                          // the facade
	Config string                               // the configuration in force, without secrets, which the page shows
	Zone   func(language string) *time.Location // of the site of a language; nil for an unknown zone

	Metrics *telemetry.Metrics // served at /metrics
	Tracer  trace.Tracer       // records spans of purges; nil disables spans
	Log     *zap.Logger
}

// Secrets compares a text that an address sent with secrets. While wait is above 0 the address has
// been wrong too often, and nothing was compared.
type Secrets interface {
	Check(place string, client netip.Addr, text string, secrets ...string) (ok bool, wait time.Duration)
}

// Purger invalidates every response that shows one of a purge's tags, before Purge returns, as
// [cache.Cache] does.
type Purger interface {
	Purge(ctx context.Context, p cache.Purge) (shared bool)
}

// WriteSwitch refuses writes or accepts them again. The facade is a WriteSwitch.
type WriteSwitch interface {
	ReadOnly() bool
	SetReadOnly(enabled bool)
}

// Admin serves operators and orchestrators on a listener of its own. The options must not be changed.
type Admin struct {
	Options
	*http.ServeMux
	decisions Decisions // Migration, or those of this instance alone
	spaces    mapping.TagSpaces
	draining  atomic.Bool
}
