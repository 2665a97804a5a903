package service

import (
	"net/http"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/idempotency"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// lasting is the state that all generations of a process share.
type lasting struct {
	log       *zap.Logger
	metrics   *telemetry.Metrics
	tracer    trace.Tracer // nil records no spans
	collector *http.Client // of spans; nil with tracer
	status    *admin.PageState
	secrets   *edge.Secrets
	keys      *idempotency.Memory // of clients, where no Redis has them

	wrap func(http.RoundTripper) http.RoundTripper // see [upstream.Options]; nil wraps nothing

	hosts     *upstream.Hosts
	migration *migration
	onward    *onward.Deliverer

	pending *cache.Pending // purges that Redis has not taken yet
}
