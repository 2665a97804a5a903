package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// maxAdminBody is how many bytes a body may have.
const maxAdminBody = 64 << 10

// Refusal is an answer of the admin interface that tells what is wrong. It
// quotes nothing of the request.
type Refusal struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func purgeOff(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, Refusal{Code: "purge_off", Message: "purging by HTTP is off: admin.token is not set"})
}

// purge answers POST /purge: it ends answers of the cache.
func (a *Admin) purge(w http.ResponseWriter, r *http.Request) {
	p, refused := a.readPurge(w, r)
	if refused != nil {
		a.tellRefused(r, "purge refused", refused)
		a.options.Metrics.Purged("refused")
		writeJSON(w, refused.Status, refused)
		return
	}
	p.From = "http"
	a.Purge(r, p)
	purged := p.Tags
	if p.All {
		purged = []string{"*"}
	}
	writeJSON(w, http.StatusOK, map[string][]string{"purged": purged})
}

func (a *Admin) tellRefused(r *http.Request, what string, refused *Refusal) {
	a.options.Log.Warn(what, zap.String("client", Hostname(r.RemoteAddr)), zap.Int("status", refused.Status), zap.String("code", refused.Code), zap.String("message", refused.Message))
}

// Purge has the cache end what p says, and tells of it.
func (a *Admin) Purge(r *http.Request, p cache.Purge) {
	if a.options.Cache != nil {
		// WordPress does not wait for the answer, and what it told counts all the same.
		ctx, end := tracing.Start(context.WithoutCancel(r.Context()), a.options.Tracer, "purge", trace.SpanKindInternal)
		a.options.Cache.Purge(ctx, p)
		end(nil, attribute.Int("calfacade.tags", len(p.Tags)))
	}
	a.options.Metrics.Purged("ok")
	a.options.Log.Info("purge", zap.String("client", Hostname(r.RemoteAddr)), zap.String("from", p.From), zap.Bool("all", p.All), zap.Bool("soft", p.Soft),
		zap.Int("tags", len(p.Tags)), zap.Strings("first", p.Tags[:min(len(p.Tags), 20)]))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("BUG: no JSON: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // who hung up wants no answer
}

func (a *Admin) readPurge(w http.ResponseWriter, r *http.Request) (cache.Purge, *Refusal) {
	if refused := a.admit(w, r, telemetry.PurgePlace, http.MethodPost); refused != nil {
		return cache.Purge{}, refused
	}
	var b purgeBody
	refused := readJSON(w, r, &b, badPurge, `tags, type, id, any, language, objects, all and soft, as {"type":"event","id":12,"language":"es"}`)
	if refused != nil {
		return cache.Purge{}, refused
	}
	return a.parsePurge(b)
}

// admit refuses who may not ask, before anything of the request is read.
func (a *Admin) admit(w http.ResponseWriter, r *http.Request, place string, methods ...string) *Refusal {
	if !slices.Contains(methods, r.Method) {
		w.Header().Set("Allow", strings.Join(methods, ", "))
		return &Refusal{http.StatusMethodNotAllowed, "method_not_allowed", "want " + strings.Join(methods, " or ")}
	}
	return a.refuse(w, r, place)
}

// readJSON reads a body into a struct that has these members, and no others. bad
// refuses what is no such body, and quotes nothing of it.
func readJSON(w http.ResponseWriter, r *http.Request, into any, bad func(string) *Refusal, members string) *Refusal {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &Refusal{http.StatusUnsupportedMediaType, "unsupported_media_type", "want Content-Type: application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAdminBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &Refusal{http.StatusRequestEntityTooLarge, "content_too_large", "the body is larger than 64 KiB"}
	}
	if err != nil {
		return bad("the body broke off")
	}
	if _, err := mapping.DecodeJSON(body); err != nil {
		return bad("the body is no JSON object, or names something twice")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil { // which may quote the body
		return bad("want members " + members)
	}
	return nil
}

func badPurge(message string) *Refusal {
	return &Refusal{http.StatusBadRequest, "invalid_purge", message}
}

// purgeBody says what to end: exactly one of Tags, an object, Objects and All.
type purgeBody struct {
	Tags []string `json:"tags"` // as "events:12" and "es:events"
	purgeObject
	Objects []purgeObject `json:"objects"`
	All     bool          `json:"all"`

	Soft bool `json:"soft"` // what is ended may still be given as stale
}

// purgeObject is an item that was changed behind the facade's back, or every item
// of its type. It has either an ID or Any.
type purgeObject struct {
	Type     string `json:"type"`     // one item of a resource: "event", "category"
	ID       int64  `json:"id"`       // above 0
	Any      bool   `json:"any"`      // every item of the type may have changed
	Language string `json:"language"` // says which site it is of, where there are several; any other than a root's means all
}

func (a *Admin) parsePurge(b purgeBody) (cache.Purge, *Refusal) {
	objects := b.Objects
	one := b.purgeObject != purgeObject{}
	if one {
		objects = []purgeObject{b.purgeObject}
	}
	if count(b.Tags != nil, one, b.Objects != nil, b.All) != 1 || !b.All && len(b.Tags)+len(objects) == 0 {
		return cache.Purge{}, badPurge("want exactly one of tags, type with id, objects and all, and not empty")
	}
	if b.All {
		return cache.Purge{All: true, Soft: b.Soft}, nil
	}
	tags, refused := a.tagsOf(b.Tags, objects)
	return cache.Purge{Tags: tags, Soft: b.Soft}, refused
}

func count(said ...bool) (n int) {
	for _, s := range said {
		if s {
			n++
		}
	}
	return n
}

// tagsOf checks tags, and adds those of what the objects change.
func (a *Admin) tagsOf(tags []string, objects []purgeObject) ([]string, *Refusal) {
	var all []string
	for i, tag := range tags {
		parsed, ok := a.spaces.Parse(tag)
		if !ok {
			return nil, badPurge(fmt.Sprintf("tags[%d] is no tag such as events:12 or %s:events", i, a.options.Site[0].Code))
		}
		all = append(all, parsed...)
	}
	for i, o := range objects {
		resource := mapping.ResourceOf(o.Type)
		if resource == "" {
			return nil, badPurge(fmt.Sprintf("type of object %d is not one of %s", i+1, strings.Join(purgeTypes(), ", ")))
		}
		id, ok := o.item()
		if !ok {
			return nil, badPurge(fmt.Sprintf("object %d has neither an id above 0 nor any, or both", i+1))
		}
		all = append(all, a.spaces.Purges(resource, id, o.Language)...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// item returns the id as [mapping.TagSpaces.Purges] takes it: "" is every item.
func (o purgeObject) item() (id string, ok bool) {
	if o.Any {
		return "", o.ID == 0
	}
	return strconv.FormatInt(o.ID, 10), o.ID > 0
}

// Tags checks tags as an operator writes them, and returns those that they mean, sorted.
func (a *Admin) Tags(tags []string) ([]string, *Refusal) { return a.tagsOf(tags, nil) }

func purgeTypes() []string {
	var types []string
	for _, r := range mapping.Resources() {
		types = append(types, mapping.Singular(r))
	}
	return types
}
