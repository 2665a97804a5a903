package proxy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/probe"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Options configure a Facade. Zero values work, except Site.
type Options struct {
	Site      i18n.Languages   // at least one language
	PublicURL string           // prefix of all links, without a slash at the end
	Legacy    BackendOptions   // the legacy, without name; roots precede those in Site; a nil Dialect is [tribe.Dialect]
	Upstream  upstream.Options // how backends are called
	Backends  []BackendOptions // the other backends, called with the same options
	Hosts     *upstream.Hosts  // HTTP clients of the backends, which outlive the facade; nil: clients of this facade
	Staging   Switch           // selects the site of each request; nil: the legacy serves all

	LegacyClients *legacyclients.Options // serve the legacy's own namespace too; nil does not

	Pages      string // URL at which the site's pages are published; "" leaves links to pages unchanged
	Extensions bool   // read the parameters beyond the specification, see [mapping.Endpoint.Extensions]

	Cookies bool // pass WordPress's login cookies and nonces
	Docs    bool // serve the documentation page at [docs.Path]

	Cache     *cache.Cache        // nil disables caching
	Freshness freshness.Options   // of cached responses
	Surrogate freshness.Surrogate // header fields for caches in front
	Targets   int64               // bytes of memory for known request targets; 0 is [DefaultTargets]

	// SiteZone returns the time zone of the site of a REST root of a backend, for dates that are
	// instants. Writes that need the zone are refused after an error. With nil the zone is unknown.
	SiteZone func(ctx context.Context, root string) (*time.Location, error)

	IdempotencyKeys idempotency.Store // responses to creates with an Idempotency-Key; nil: the field has no effect

	UpdatesAsIs bool // send updates with the client's fields alone, although the site resets the others

	Secrets *edge.Secrets // checks the secrets of clients; nil: the facade's own

	MaxRequestBody int64           // bytes; 0 is 1 MiB
	MaxURL         int             // bytes of path and query; 0 is 8 KiB
	Unknown        mapping.Unknown // treatment of parameters that the table does not name

	Edge edge.Options // limits, CORS and read-only mode

	Log       *zap.Logger        // nil logs nothing
	Requests  string             // the requests to log: all, errors (5xx) or none; "" is all
	LogClient string             // the client in records: full, network (/24 of IPv4, /48 of IPv6) or none; "" is full
	Metrics   *telemetry.Metrics // nil: nobody reads them

	Tracer trace.Tracer // nil disables tracing

	Clock func() time.Time // nil is time.Now
}

// Switch selects the site of each request. [StagingOptions] is the only one.
type Switch interface{ isSwitch() }

func (o Options) withDefaults() Options {
	o.MaxRequestBody = cmp.Or(o.MaxRequestBody, 1<<20)
	o.MaxURL = cmp.Or(o.MaxURL, 8<<10)
	o.Legacy.Name = upstream.LegacyName
	o.Legacy.Dialect.Dialect = cmp.Or(o.Legacy.Dialect.Dialect, tribe.Dialect)
	o.Legacy.Dialect.Languages = map[string]string{}
	for _, l := range o.Site {
		if l.Tell != "" {
			o.Legacy.Dialect.Languages[l.Code] = l.Tell
		}
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Hosts == nil {
		o.Hosts = new(upstream.Hosts)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Metrics == nil {
		o.Metrics = telemetry.NewMetrics("")
	}
	if o.Secrets == nil {
		o.Secrets = edge.NewSecrets(o.Log, o.Clock)
	}
	if o.SiteZone == nil {
		o.SiteZone = func(context.Context, string) (*time.Location, error) { return nil, probe.ErrNoZone }
	}
	return o
}

// BackendOptions configure a backend beside the legacy.
type BackendOptions struct {
	Name        string            // [a-z0-9-]+, and not [upstream.LegacyName]
	Dialect     mapping.API       // kind and parameters of the backend
	Upstreams   map[string]string // REST roots by code of the language; the legacy serves languages without one
	SiteAliases []string          // other spellings of the site's URL in links
	WordPress   string            // the URL that links to images start with; "" is the site
}

// shapeOf returns a hash of all options that responses depend on. A facade with other options, and another
// backend, must not serve these entries: the links may point elsewhere.
func shapeOf(settings BackendOptions, o Options) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q", []any{
		o.Site, o.PublicURL, o.Pages, o.Upstream.Access.Host,
		o.Surrogate,                                                        // entries have the fields for other caches
		o.Legacy.Dialect.Dialect.Namespace, o.Legacy.Dialect.LanguageParam, // in which some clients are answered
		settings.Name, settings.Upstreams, settings.SiteAliases, settings.WordPress,
		settings.Dialect.Dialect.Namespace, settings.Dialect.LanguageParam, settings.Dialect.Languages, settings.Dialect.IDs.String(),
	})
	return hex.EncodeToString(h.Sum(nil)[:4])
}
