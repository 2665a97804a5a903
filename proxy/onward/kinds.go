package onward

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

// call is one request to a target.
type call struct {
	method, url string
	header      http.Header
	body        []byte
}

// maxKeys is how many keys a call has. Cloudflare accepts 100 and Fastly 256. A key has at most 81
// bytes, and Varnish accepts header fields of 8 KiB.
var maxKeys = map[Kind]int{Cloudflare: 100, Fastly: 128, Varnish: 64, VarnishBan: 64}

// calls returns the calls that deliver a batch.
func (c *Courier) calls(b batch) []call {
	switch c.Kind {
	case Nginx:
		return c.nginxCalls(b)
	case Webhook:
		return c.webhookCalls(b, time.Now())
	}
	keys := []string{c.plan.Keys.All()}
	if !b.All {
		keys = c.plan.Keys.PurgedKeys(b.Tags)
	}
	var calls []call
	for chunk := range slices.Chunk(keys, maxKeys[c.Kind]) {
		calls = append(calls, c.keyCall(chunk, b.Soft))
	}
	return calls
}

// keyCall returns the call that purges keys.
//
// Everything is purged by the key that all responses have: Fastly's service may serve other hosts
// too, and Cloudflare's purge_everything would purge the pages of the whole zone. Cloudflare knows
// no soft purge.
//
// Varnish purges by vmod xkey, with the method PURGE and the keys in a header field; or Varnish bans,
// with the method BAN and a regular expression of them, which Varnish matches with the header field
// xkey of responses.
func (t Target) keyCall(keys []string, soft bool) call {
	c := call{method: http.MethodPost, header: t.bearer()}
	switch {
	case t.Kind == Cloudflare:
		c.url = t.URL + "/zones/" + t.ID + "/purge_cache"
		c.body = marshal(map[string][]string{"tags": keys})
		c.header.Set("Content-Type", "application/json")
	case t.Kind == Fastly:
		c.url = t.URL + "/service/" + t.ID + "/purge"
		c.header = http.Header{"Fastly-Key": {t.Token}, "Surrogate-Key": {strings.Join(keys, " ")}}
		if soft {
			c.header.Set("Fastly-Soft-Purge", "1")
		}
	case t.Kind == VarnishBan:
		c.method = "BAN"
		c.url = t.URL + "/"
		c.header.Set("Xkey-Ban", keysPattern(keys))
	default:
		field := "Xkey"
		if soft {
			field = "Xkey-Soft"
		}
		c.method = "PURGE"
		c.url = t.URL + "/"
		c.header.Set(field, strings.Join(keys, " "))
	}
	return c
}

// nginxCalls purges by URL, the only way of nginx: items, and lists without parameters, at
// the root of each language. The parameters that clients used are unknown, and so are the
// responses that show an item.
func (c *Courier) nginxCalls(b batch) (calls []call) {
	tags := b.Tags
	if b.All {
		for _, l := range c.plan.Languages {
			for _, resource := range mapping.Resources() {
				tags = append(tags, l.Code+":"+resource)
			}
		}
	}
	var paths []string
	for _, s := range c.plan.about(tags) {
		u, err := url.Parse(s.URL)
		if s.URL == "" || err != nil || slices.Contains(paths, u.Path) {
			continue
		}
		paths = append(paths, u.Path)
		calls = append(calls, call{method: "PURGE", url: c.URL + u.EscapedPath(), header: c.bearer()})
	}
	return calls
}

// cloudflareDone reports whether the body of a 200 confirms the purge.
func cloudflareDone(body []byte) bool {
	var answer struct{ Success bool }
	return json.Unmarshal(body, &answer) == nil && answer.Success
}

// keysPattern returns a regular expression that matches a list of keys with one of these. The expression has
// no spaces, quotes and backslashes, which mean something in a ban. Keys have letters, digits and
// ".:_-".
func keysPattern(keys []string) string {
	const boundary = "[^A-Za-z0-9.:_-]"
	return "(^|" + boundary + ")(" + strings.ReplaceAll(strings.Join(keys, "|"), ".", "[.]") + ")(" + boundary + "|$)"
}

// bearer returns header fields with the token, if there is one.
func (t Target) bearer() http.Header {
	h := http.Header{}
	if t.Token != "" {
		h.Set("Authorization", "Bearer "+t.Token)
	}
	return h
}

// notice is the body of a webhook.
type notice struct {
	ID       string `json:"id"`       // the same when a notice is sent again
	Position string `json:"position"` // in the purge log, a decimal number; "" without Redis
	purges
	Replay bool          `json:"replay"` // an operator sends the batch again
	Items  []changedItem `json:"items"`
}

// webhookCalls sends the subjects of a batch, in one call.
func (c *Courier) webhookCalls(b batch, now time.Time) []call {
	n := notice{
		ID:     rand.Text(),
		purges: b.purges,
		Replay: b.replay,
		Items:  c.plan.about(b.Tags),
	}
	n.Time = n.Time.UTC()
	if b.position != 0 && !b.replay {
		n.Position = strconv.FormatUint(uint64(b.position), 10)
		n.ID = n.Position
	}
	body := marshal(n)
	timestamp := strconv.FormatInt(now.Unix(), 10)
	h := c.bearer()
	h.Set("Content-Type", "application/json")
	h.Set("Calfacade-Timestamp", timestamp)
	h.Set("Calfacade-Signature", sign(c.Secret, timestamp, body))
	return []call{{http.MethodPost, c.URL, h, body}}
}

// sign returns the signature of a body: the version of the scheme, and the HMAC of timestamp, a
// dot and body with SHA-256, in hexadecimal digits.
func sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write(append([]byte(timestamp+"."), body...)) // never fails
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}

// changedItem is a part of the subject of a purge, in one language.
type changedItem struct {
	Scope    mapping.Scope `json:"scope"`
	Type     string        `json:"type"`
	ID       string        `json:"id,omitempty"`
	Language string        `json:"language"`
	URL      string        `json:"url,omitempty"` // of the item or the list
}

// about returns the subjects of tags. Tags of an instance with other languages have no subject.
func (p Plan) about(tags []string) []changedItem {
	spaces := mapping.NewTagSpaces(len(p.Languages), p.Languages.Together)
	subjects := []changedItem{}
	for _, tag := range tags {
		item, _ := spaces.Subject(tag)
		for _, l := range p.Languages {
			if !slices.Contains(item.Roots, l.Code) {
				continue
			}
			s := changedItem{
				Scope:    item.Scope,
				Type:     mapping.Singular(item.Resource),
				ID:       item.ID,
				Language: l.Code,
			}
			if item.Path != "" {
				s.URL = p.PublicURL + l.Root + "/" + mapping.Namespace + item.Path
			}
			subjects = append(subjects, s)
		}
	}
	return subjects
}

func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("BUG: no JSON: " + err.Error())
	}
	return data
}
