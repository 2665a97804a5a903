package main

import (
	"context"
	"flag"
	"io"
	"net/http"
	"path"
	"runtime"

	"github.com/go-resty/resty/v2"
	"github.com/julienschmidt/httprouter"
	"github.com/maypok86/otter/v2"

	"github.com/calfacade/calfacade/cmd/internal/memory"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// serveMinimal serves misses with the minimum of parts: resty, the rewriting, and otter as the
// store, with the facade's timeouts and header fields, and without deadlines, breakers,
// coalescing, purges and identities. The files are those of bare.
func serveMinimal(ctx context.Context, p process) error {
	var target, list, single string
	if err := p.flags(func(f *flag.FlagSet) {
		f.StringVar(&target, "origin", "", "")
		f.StringVar(&list, "list", "", "")
		f.StringVar(&single, "single", "", "")
	}); err != nil {
		return err
	}
	legacy := mapping.Backend{Dialect: mapping.Tribe, Namespace: legacyNamespace}
	roots := []rewrite.Root{{Language: "en", Upstream: target + "/wp-json", Public: publicURL + "/wp-json"}}
	m := missHandler{
		client:   resty.NewWithClient(&http.Client{Transport: tuned()}).SetDoNotParseResponse(true),
		legacy:   legacy,
		root:     roots[0].Upstream,
		rewriter: rewrite.New(legacy, roots, rewrite.Spellings{Aliases: []string{siteURL}}),
		stored: otter.Must(&otter.Options[string, []byte]{
			MaximumWeight: 256 << 20,
			Weigher:       func(key string, body []byte) uint32 { return uint32(len(key) + len(body)) },
		}),
	}
	router := httprouter.New()
	for _, read := range []struct{ path, pattern, file string }{{"/events", "/events", list}, {"/events/{id}", "/events/:id", single}} {
		fields, _, err := answerIn(read.file)
		if err != nil {
			return err
		}
		router.GET("/wp-json/"+mapping.Namespace+read.pattern, alike(fields, m.of(readOf(read.path))))
	}
	defer runtime.KeepAlive(memory.Ballast())
	return serve(ctx, p, newServer(router))
}

// readOf returns the row of the table that reads a path.
func readOf(path string) *mapping.Endpoint {
	for _, e := range mapping.Rows(path) {
		if e.Allows(http.MethodGet) {
			return e
		}
	}
	panic("BUG: no such path: " + path)
}

// missHandler fetches, rewrites and stores.
type missHandler struct {
	client   *resty.Client
	legacy   mapping.Backend
	root     string // of the origin
	rewriter *rewrite.Rewriter
	stored   *otter.Cache[string, []byte]
}

// of returns the bodies of an endpoint.
func (m *missHandler) of(e *mapping.Endpoint) func(*http.Request) ([]byte, error) {
	return func(r *http.Request) ([]byte, error) {
		key := r.URL.RequestURI()
		if body, ok := m.stored.GetIfPresent(key); ok {
			return body, nil
		}
		query, err := mapping.DecodeQuery(r.URL.RawQuery)
		if err != nil {
			return nil, err
		}
		in := mapping.Input{Query: query}
		if e.Action != mapping.List {
			in.Item = path.Base(r.URL.Path)
		}
		call, err := mapping.Parse(e, r.Method, in, mapping.Drop)
		if err != nil {
			return nil, err
		}
		body, err := m.fetch(r.Context(), call)
		if err == nil {
			m.stored.Set(key, body)
		}
		return body, err
	}
}

func (m *missHandler) fetch(ctx context.Context, call *mapping.Call) ([]byte, error) {
	sent := m.legacy.Translate(call, "")
	res, err := m.client.R().SetContext(ctx).Get(m.root + sent.Path + "?" + sent.Query)
	if err != nil {
		return nil, err
	}
	defer res.RawBody().Close()
	body := make([]byte, res.RawResponse.ContentLength)
	if _, err := io.ReadFull(res.RawBody(), body); err != nil {
		return nil, err
	}
	got, err := m.rewriter.Rewrite(ctx, call, 0, res.StatusCode(), body)
	return got.Body, err
}
