package facadetest

import (
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

func Request(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	r := proxytest.NewRequest(t, method, url, body)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// Answer answers as the site does: a success with the marks of its kind.
func Answer(status int, body string) http.HandlerFunc {
	if status < http.StatusMultipleChoices {
		body = proxytest.Marked(body)
	}
	return Sends(status, body)
}

func Sends(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Entitled answers as the legacy does, as requested: an item with a title, or a list of one.
func Entitled(title string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		slug := ""
		if strings.Contains(r.URL.Path, "/by-slug/") {
			slug = `"slug":"five",`
		}
		item := fmt.Sprintf(`{"id":%d,%s"title":%q}`, IDIn(r), slug, title)
		collection := slices.Contains(mapping.Resources(), name)
		switch {
		case collection && r.Method == http.MethodPost:
			Answer(http.StatusCreated, item)(w, r)
		case collection:
			Answer(http.StatusOK, fmt.Sprintf(`{%q:[%s],"total":1,"total_pages":1}`, name, item))(w, r)
		default:
			Answer(http.StatusOK, item)(w, r)
		}
	}
}

// IDIn returns the id in the path of a request, or 5.
func IDIn(r *http.Request) int {
	if id, err := strconv.Atoi(path.Base(r.URL.Path)); err == nil {
		return id
	}
	return 5
}

const AnEvent = `{"title":"T","start_date":"now","end_date":"now"}`

func WithHeader(h http.HandlerFunc, name, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		h(w, r)
	}
}

// Records collects log records.
type Records struct {
	Logs   *observer.ObservedLogs
	change chan struct{}
}

func (r *Records) Logger() *zap.Logger {
	core, logs := observer.New(zap.DebugLevel)
	r.Logs = logs
	r.change = make(chan struct{}, 100)
	return zap.New(core, zap.Hooks(func(zapcore.Entry) error {
		r.change <- struct{}{}
		return nil
	}))
}

// Wait returns the records once there are n.
func (r *Records) Wait(t *testing.T, n int) []map[string]any {
	t.Helper()
	for r.Logs.Len() < n {
		select {
		case <-r.change:
		case <-time.After(testwait.Limit):
			t.Fatalf("%d records, want %d", r.Logs.Len(), n)
		}
	}
	var list []map[string]any
	for _, record := range r.Logs.All() {
		list = append(list, record.ContextMap())
	}
	return list
}

var Eventually = testwait.Until
