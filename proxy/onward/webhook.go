package onward

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// The header fields of a webhook.
const (
	fieldTimestamp = "Calfacade-Timestamp" // when it was signed, in Unix seconds
	fieldSignature = "Calfacade-Signature" // see sign
)

// notice is the body of a webhook.
type notice struct {
	ID       string    `json:"id"`       // the same for what is sent again
	Position string    `json:"position"` // in the purge log, a decimal number; "" without Redis
	Time     time.Time `json:"time"`     // when the oldest purge was made
	Purges   int       `json:"purges"`   // how many there are together
	Replay   bool      `json:"replay"`   // an operator sends it again
	All      bool      `json:"all"`      // everything may have changed; Tags and Items are empty
	Soft     bool      `json:"soft"`
	Tags     []string  `json:"tags"`
	Items    []subject `json:"items"`
}

// webhookCalls sends what a batch is about, in one call.
func (t Target) webhookCalls(b batch, site Site, now time.Time) []call {
	n := notice{Time: b.since.UTC(), Purges: b.count, Replay: b.replay, All: b.All, Soft: b.Soft, Tags: b.Tags, Items: site.about(b.Tags)}
	if n.Tags == nil {
		n.Tags = []string{}
	}
	if n.ID = rand.Text(); b.at != 0 && !b.replay {
		n.Position = strconv.FormatUint(uint64(b.at), 10)
		n.ID = n.Position
	}
	body, err := json.Marshal(n)
	if err != nil {
		panic("BUG: no JSON: " + err.Error())
	}
	h := t.bearer()
	h.Set("Content-Type", "application/json")
	timestamp := strconv.FormatInt(now.Unix(), 10)
	h.Set(fieldTimestamp, timestamp)
	h.Set(fieldSignature, sign(t.Secret, timestamp, body))
	return []call{{method: http.MethodPost, url: t.URL, header: h, body: body}}
}

// sign returns the signature of a body: the version of the scheme, and the HMAC of timestamp, a
// dot and body with SHA-256, in hexadecimal digits.
func sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(timestamp + ".")) // never fails
	_, _ = mac.Write(body)
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}
