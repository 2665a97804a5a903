package proxy

import (
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
)

// forward serves a request that a backend answers, once the client may sign in and this process knows all purges.
func (f *Facade) forward(x *exchange, id edge.Identity) error {
	if !id.Anonymous() || x.target.secret {
		if err := f.edge.AdmitSignIn(x.request, f.options.Clock()); err != nil {
			return err
		}
	}
	if f.options.Cache != nil {
		x.purgesKnown = f.options.Cache.ReadLog() // before everything that depends on purges and decisions
		if x.target.call.Endpoint.Writes() {
			if err := f.edge.AdmitWrite(x.request, true); err != nil { // read-only mode may have begun
				return err
			}
		}
	}
	if f.keys != nil && x.target.call.Endpoint.Action == mapping.Create && !x.target.InLegacyNames {
		return f.serveOnce(x, id)
	}
	return f.handler.serve(x, id)
}
