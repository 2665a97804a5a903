package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
)

// maxAdminBody is how many bytes a body may have.
const maxAdminBody = 64 << 10

// Refusal is an error response of the admin interface. It quotes nothing of the request.
type Refusal struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Version uint64 `json:"version,omitempty"` // of the decisions, where a change was made on an earlier one
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // the prober may have disconnected
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("BUG: no JSON: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may have disconnected
}

// readJSON reads a body into a struct that has exactly these members. bad makes the refusal
// of any other body; messages quote nothing of it.
func readJSON(w http.ResponseWriter, r *http.Request, into any, bad func(string) *Refusal, members string) *Refusal {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &Refusal{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type", Message: "want Content-Type: application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAdminBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &Refusal{Status: http.StatusRequestEntityTooLarge, Code: "content_too_large", Message: "the body is larger than 64 KiB"}
	}
	if err != nil {
		return bad("the body ended early")
	}
	if _, err := mapping.DecodeJSON(body); err != nil {
		return bad("the body is not a JSON object, or has duplicate members")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil { // which may quote the body
		return bad("want members " + members)
	}
	return nil
}
