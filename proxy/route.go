package proxy

import (
	"github.com/calfacade/calfacade/proxy/edge"
)

// forward serves a request that a backend answers, once the client may sign in and this process knows all purges.
func (f *Facade) forward(x *exchange, id edge.Identity) error {
	if err := f.edge.AdmitSignIn(x.request, id, x.target.call.Secret(), f.options.Clock()); err != nil {
		return err
	}
	if err := f.readLog(x); err != nil {
		return err
	}
	return f.handler.serve(x, id)
}

// readLog brings this process to the end of all purges and decisions. A write that read-only mode forbids by
// now is refused.
func (f *Facade) readLog(x *exchange) error {
	if f.options.Cache == nil {
		return nil
	}
	x.purgesKnown = f.options.Cache.ReadLog()
	if !x.target.call.Endpoint.Writes() {
		return nil
	}
	return f.edge.AdmitWrite(x.request, true)
}
