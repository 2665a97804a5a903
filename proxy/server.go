package proxy

import (
	"cmp"
	"net/http"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// ServeHTTP implements [http.Handler].
func (f *Facade) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := f.begin(w, r)
	defer f.end(x)
	if err := f.serve(x); err != nil {
		f.options.Surrogate.SetNoStore(x.out.Header())
		x.failure = f.fail(x, err)
	}
}

func (f *Facade) serve(x *exchange) (err error) {
	defer recoverPanic(f.options.Log, x.id, &err)
	var misnamed error
	if x.request.Method == http.MethodPost {
		misnamed = x.overrideMethod()
	}
	if answered, err := f.edge.Admit(&x.out, x.request, x.started); err != nil || misnamed != nil {
		f.setTarget(x, f.unrouted(x.request))
		return cmp.Or(err, misnamed)
	} else if answered {
		return nil
	}
	var match *target
	if isRead(x.request.Method) {
		match, _ = f.targets.GetIfPresent(x.request.RequestURI)
	}
	if match == nil {
		return f.serveUnknown(x)
	}
	f.setTarget(x, match)
	if match.InLegacyNames && f.legacyIsOff(match) { // a brownout refuses a share of the requests for a known target, too
		return problem.LegacyOff(f.successor(match))
	}
	return f.forward(x, edge.IdentityOf(x.request, f.options.Cookies))
}

// serveUnknown serves a target that is not remembered.
func (f *Facade) serveUnknown(x *exchange) error {
	id := edge.IdentityOf(x.request, f.options.Cookies)
	t, err := f.resolve(x.request, func() (mapping.Node, error) { return f.body(x, id) })
	f.setTarget(x, &t)
	switch {
	case err != nil:
		return err
	case t.Docs:
		return f.documentation(x, t.Asset)
	case t.Start:
		return f.start(x)
	case t.call == nil:
		return f.describe(x)
	case t.description == nil && t.Endpoint.Local():
		return f.local(x)
	}
	err = f.forward(x, id)
	if x.outcome == telemetry.Hit { // a target that is requested once is not worth its memory
		f.learn(x.request, t)
	}
	return err
}

func (f *Facade) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{
		id:      requestID(r.Header.Get("X-Request-Id")),
		request: r,
		out:     recorder{ResponseWriter: w},
		texts:   i18n.Catalog(f.options.Site[0].Code),
		target:  &unresolved,
		site:    f.site,
		started: f.options.Clock(),
		edge:    f.edge,
	}
	x.out.Header()["X-Request-Id"] = []string{x.id}
	f.options.Metrics.Begin()
	if f.options.Tracer != nil {
		x.request = x.request.WithContext(f.beginSpan(x, x.request.Header.Get(tracing.Field)))
	}
	x.Context = x.request.Context()
	return x
}
