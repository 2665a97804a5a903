package admin

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/tracing"
)

// servePurge serves POST /purge. The status is 202 while other instances do not know the purge, because Redis
// failed.
func (a *Admin) servePurge(w http.ResponseWriter, r *http.Request) (status int, body any, refused *Refusal) {
	var b PurgeBody
	if refused := ReadJSON(w, r, &b, invalidPurge, `tags, type, id, any, language, objects, all and soft, as {"type":"event","id":12,`+
		`"language":"es"}`); refused != nil {
		return 0, nil, refused
	}
	p, refused := a.parsePurge(b)
	if refused != nil {
		return 0, nil, refused
	}
	var response struct {
		Purged  []string `json:"purged"`
		Pending bool     `json:"pending,omitempty"`
	}
	status = http.StatusOK
	response.Purged = p.Tags
	if p.All {
		response.Purged = []string{"*"}
	}
	response.Pending = !a.purgeCache(r, p)
	if response.Pending {
		status = http.StatusAccepted
	}
	return status, response, nil
}

// purgeCache purges the cache, and logs and counts the purge. shared is false while other instances do not know the purge.
func (a *Admin) purgeCache(r *http.Request, p cache.Purge) (shared bool) {
	// WordPress closes the connection without waiting; the purge must happen anyway.
	ctx, end := tracing.Start(context.WithoutCancel(r.Context()), a.Tracer, "purge", trace.SpanKindInternal)
	shared = a.Cache.Purge(ctx, p)
	end(nil, attribute.Int("calfacade.tags", len(p.Tags)))
	a.Log.Info("purge", zap.String("client", Hostname(r.RemoteAddr)), zap.String("from", p.From), zap.Bool("all", p.All),
		zap.Bool("soft", p.Soft), zap.Int("tags", len(p.Tags)), zap.Strings("first", p.Tags[:min(len(p.Tags), 20)]))
	return shared
}

const invalidPurge = "invalid_purge"

// PurgeBody is the body of POST /purge, with exactly one of Tags, an object, Objects and All.
type PurgeBody struct {
	Tags []string `json:"tags,omitempty"` // as "events:12" and "es:events"
	PurgeObject
	Objects []PurgeObject `json:"objects,omitempty"`
	All     bool          `json:"all,omitempty"`

	Soft bool `json:"soft,omitempty"` // purged responses may still be served as stale
}

// PurgeObject is an item that was changed on the site itself, or every item of its type. Either
// ID or Any is set.
type PurgeObject struct {
	Type     string `json:"type,omitempty"`     // one item of a resource: "event", "category"
	ID       int64  `json:"id,omitempty"`       // above 0
	Any      bool   `json:"any,omitempty"`      // every item of the type may have changed
	Language string `json:"language,omitempty"` // selects one of several sites; a language without a root selects all
}

func (a *Admin) parsePurge(b PurgeBody) (cache.Purge, *Refusal) {
	objects := b.Objects
	hasObject := b.PurgeObject != PurgeObject{}
	if hasObject {
		objects = []PurgeObject{b.PurgeObject}
	}
	ways := 0
	for _, used := range []bool{b.Tags != nil, hasObject, b.Objects != nil, b.All} {
		if used {
			ways++
		}
	}
	if ways != 1 || !b.All && len(b.Tags)+len(objects) == 0 {
		return cache.Purge{}, Invalid(invalidPurge, "want exactly one of tags, type with id, objects and all, and not empty")
	}
	tags, refused := a.tagsOf(b.Tags, objects)
	return cache.Purge{Tags: tags, All: b.All, Soft: b.Soft, From: cache.FromHTTP}, refused
}

// tagsOf validates tags and adds the tags of the objects.
func (a *Admin) tagsOf(tags []string, objects []PurgeObject) ([]string, *Refusal) {
	var valid []string
	for i, tag := range tags {
		parsed, ok := a.spaces.Parse(tag)
		if !ok {
			return nil, Invalid(invalidPurge, fmt.Sprintf("tags[%d] is not a tag such as events:12 or %s:events", i, a.Site[0].Code))
		}
		valid = append(valid, parsed...)
	}
	for i, o := range objects {
		resource := mapping.ResourceOf(o.Type)
		if resource == "" {
			return nil, Invalid(invalidPurge, fmt.Sprintf("type of object %d is not one of %s", i+1, strings.Join(Kinds(), ", ")))
		}
		id := "" // every item
		if !o.Any {
			id = strconv.FormatInt(o.ID, 10)
		}
		if o.Any != (o.ID == 0) || o.ID < 0 {
			return nil, Invalid(invalidPurge, fmt.Sprintf("object %d has neither an id above 0 nor any, or both", i+1))
		}
		valid = append(valid, a.spaces.PurgedTags(resource, id, o.Language)...)
	}
	slices.Sort(valid)
	return slices.Compact(valid), nil
}

// itemTags returns the tags of an item that an operator names by kind and ID, or by the item's URL in the
// API, which ends with resource and ID.
func (a *Admin) itemTags(kind, item string) ([]string, *Refusal) {
	item, _, _ = strings.Cut(item, "?")
	parts := strings.Split(strings.TrimSuffix(item, "/"), "/")
	if len(parts) > 1 {
		kind = mapping.Singular(parts[len(parts)-2])
		item = parts[len(parts)-1]
	}
	id, err := strconv.ParseInt(item, 10, 64)
	if err != nil || !slices.Contains(Kinds(), kind) {
		return nil, Invalid(invalidPurge, "want a kind with an ID, or a URL that ends with resource and ID, such as /events/12")
	}
	return a.tagsOf(nil, []PurgeObject{{Type: kind, ID: id}})
}

// Kinds returns the kinds of items.
func Kinds() []string {
	var kinds []string
	for _, r := range mapping.Resources() {
		kinds = append(kinds, mapping.Singular(r))
	}
	return kinds
}

// ChangeTimeout is the time that a client of the listener waits for the response to a POST: with Redis down a
// purge takes a second, and a replay up to [replayLimit].
const ChangeTimeout = 30 * time.Second

// replayLimit is the timeout of a replay, which leaves time for the response.
const replayLimit = ChangeTimeout - 5*time.Second

// targetReport is a target of purges, as GET /purge/targets returns it.
type targetReport struct {
	onward.Status
	Refusals []onward.Letter `json:"refusals"`
}

// targets serves GET /purge/targets.
func (a *Admin) targets(_ http.ResponseWriter, r *http.Request) (status int, body any, refused *Refusal) {
	reports := []targetReport{}
	for _, c := range a.Onward.Couriers() {
		reports = append(reports, targetReport{Status: c.Status(), Refusals: c.Letters(r.Context())})
	}
	return http.StatusOK, map[string][]targetReport{"targets": reports}, nil
}

// replay serves POST /purge/replay: the purges that targets have refused are sent again.
func (a *Admin) replay(_ http.ResponseWriter, r *http.Request) (status int, body any, refused *Refusal) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), replayLimit)
	defer cancel()
	replays := []onward.Replayed{}
	for _, c := range a.Onward.Couriers() {
		t := c.Replay(ctx)
		replays = append(replays, t)
		if t.Deliveries > 0 {
			a.Log.Info("replay of purges", zap.String("client", Hostname(r.RemoteAddr)), zap.String("target", t.Target),
				zap.Int("deliveries", t.Deliveries), zap.Bool("done", t.Done))
		}
	}
	return http.StatusOK, map[string][]onward.Replayed{"replayed": replays}, nil
}
