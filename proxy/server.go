package proxy

import (
	"cmp"
	"net/http"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/telemetry"
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
	misnamed := x.overrideMethod()
	if answered, err := f.edge.Admit(&x.out, x.in, x.started); err != nil || misnamed != nil {
		x.setTarget(f.unrouted(x.in))
		f.announceSuccessor(x)
		return cmp.Or(err, misnamed)
	} else if answered {
		return nil
	}
	known, ok := f.targets.get(x.in)
	if !ok {
		return f.serveUnknown(x)
	}
	if x.setTarget(known); !known.OldNames {
		return f.forward(x)
	}
	if f.announceSuccessor(x); f.legacyIsOff(known) {
		return f.legacyOff(known)
	}
	return f.forward(x)
}

// serveUnknown serves a target that is not remembered. It is apart from serve because of the
// size of its frame: with it, the stack of a connection takes 16 KB and not 8.
func (f *Facade) serveUnknown(x *exchange) error {
	t, err := f.resolve(x.in, func() (mapping.Node, error) { return f.body(x) })
	x.setTarget(&t)
	f.announceSuccessor(x)
	switch {
	case err != nil:
		return err
	case t.OldNames && t.call == nil:
		return f.describeLegacy(x)
	case t.Docs:
		return f.documentation(x, t.Asset)
	case t.Start:
		return f.start(x)
	case t.Endpoint == nil:
		return f.describe(x)
	case t.Endpoint.Local():
		return f.local(x)
	}
	err = f.forward(x)
	if x.outcome == telemetry.Hit { // a target that is requested once is not worth its memory
		f.targets.learn(x.in, t)
	}
	return err
}

func (f *Facade) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{
		responder: responder{id: requestID(r.Header.Get("X-Request-Id")), in: r, out: recorder{ResponseWriter: w}, texts: i18n.Catalog(f.options.Site[0].Code)},
		target:    &unresolved,
		selection: selection{backend: f.legacy},
		report:    report{started: f.options.Clock()},
		edge:      f.edge,
	}
	x.out.Header()["X-Request-Id"] = []string{x.id}
	f.options.Metrics.Begin()
	f.beginSpan(x)
	if f.options.ServerTiming {
		x.out.before = func() { x.out.Header()["Server-Timing"] = []string{x.serverTiming(f.options.Clock())} }
	}
	return x
}
