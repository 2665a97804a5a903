package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/julienschmidt/httprouter"
	"github.com/redis/go-redis/v9"

	"github.com/calfacade/calfacade/mapping"
)

// serveBare is the minimum in Go: a router, three header fields, a ready body. Its flags add
// what a facade requires, to separate these costs from its own. The files are responses
// of the facade.
func serveBare(ctx context.Context, p process) error {
	var list, single, url string
	var timeouts, fields bool
	var certificate *files
	if err := p.flags(func(f *flag.FlagSet) {
		f.StringVar(&list, "list", "", "")
		f.StringVar(&single, "single", "", "")
		f.BoolVar(&timeouts, "timeouts", false, "")
		f.BoolVar(&fields, "fields", false, "")
		f.StringVar(&url, "redis", "", "")
		certificate = certificateFlags(f)
	}); err != nil {
		return err
	}
	router := httprouter.New()
	for path, file := range map[string]string{"/events": list, "/events/:id": single} {
		h, body, err := answerIn(file)
		if err != nil {
			return err
		}
		handle := ready(body)
		if fields {
			handle = alike(h, func(*http.Request) ([]byte, error) { return body, nil })
		}
		if url != "" {
			o, err := redis.ParseURL(url)
			if err != nil {
				return err
			}
			handle = alike(h, outOf(redis.NewClient(o), body))
		}
		router.GET("/wp-json/"+mapping.Namespace+path, handle)
	}
	s := &http.Server{Handler: router}
	if timeouts {
		s = newServer(router)
	}
	if certificate.cert != "" {
		pair, err := tls.LoadX509KeyPair(certificate.cert, certificate.key)
		if err != nil {
			return err
		}
		s.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	}
	return serve(ctx, p, s)
}

// answerIn reads a file with a response.
func answerIn(file string) (http.Header, []byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(data)), nil)
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(res.Body)
	return res.Header, body, errors.Join(err, res.Body.Close())
}

func ready(body []byte) httprouter.Handle {
	kind := []string{"application/json; charset=UTF-8"}
	length := []string{strconv.Itoa(len(body))}
	control := []string{"max-age=60"}
	return func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		h := w.Header()
		h["Content-Type"], h["Content-Length"], h["Cache-Control"] = kind, length, control
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(body)
	}
}

// updates are the header fields of a 304 of the facade.
var updates = []string{"Age", "Cache-Control", "Cache-Status", "Etag", "Vary", "X-Request-Id"}

// alike sends the same response as the facade, and a 304 if the ETag matches.
func alike(fields http.Header, body func(*http.Request) ([]byte, error)) httprouter.Handle {
	delete(fields, "Date") // net/http's
	return func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		h := w.Header()
		if known := r.Header["If-None-Match"]; len(known) == 1 && known[0] == fields["Etag"][0] {
			for _, name := range updates {
				h[name] = fields[name]
			}
			w.WriteHeader(http.StatusNotModified)
			return
		}
		data, err := body(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		for name, values := range fields {
			h[name] = values
		}
		h["Content-Length"] = []string{strconv.Itoa(len(data))}
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(data)
	}
}

// outOf stores a body for each target in Redis, and serves it from there.
func outOf(c *redis.Client, body []byte) func(*http.Request) ([]byte, error) {
	return func(r *http.Request) ([]byte, error) {
		key := "bare:" + r.URL.RequestURI()
		data, err := c.Get(r.Context(), key).Bytes()
		if errors.Is(err, redis.Nil) {
			return body, c.Set(r.Context(), key, body, 0).Err()
		}
		return data, err
	}
}
