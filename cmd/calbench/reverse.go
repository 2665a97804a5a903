package main

import (
	"context"
	"flag"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// serveReverse is httputil.ReverseProxy with a tuned transport and pooled buffers.
func serveReverse(ctx context.Context, p process) error {
	var target string
	if err := p.flags(func(f *flag.FlagSet) { f.StringVar(&target, "origin", "", "") }); err != nil {
		return err
	}
	to, err := url.Parse(target)
	if err != nil {
		return err
	}
	return serve(ctx, p, &http.Server{Handler: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.URL.Path = strings.Replace(r.In.URL.Path, mapping.Namespace, legacyNamespace, 1)
		},
		Transport:  tuned(),
		BufferPool: &buffers{},
	}})
}
