package admin

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/calfacade/calfacade/proxy/problem"
)

// maxAdminBody is how many bytes a body may have.
const maxAdminBody = 64 << 10

// Refusal is an error response of the admin interface, without data of the request.
type Refusal struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Version uint64 `json:"version,omitempty"` // of the decisions, where a change was made on an earlier one
}

func say(w http.ResponseWriter, status int, text string) {
	send(w, status, "text/plain", []byte(text))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("BUG: no JSON: " + err.Error())
	}
	send(w, status, "application/json", body)
}

func send(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		maps.Copy(w.Header(), problem.RetryAfter(problem.RetrySoon))
	}
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may have disconnected
}

// Invalid refuses a request without a valid action. The endpoints have codes of their own.
func Invalid(code, message string) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Code: code, Message: message}
}

// ReadJSON reads a body into a struct that has exactly these members, or refuses the body with a code. Messages
// do not quote the body.
func ReadJSON(w http.ResponseWriter, r *http.Request, into any, code, members string) *Refusal {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &Refusal{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Message: "want Content-Type: application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAdminBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &Refusal{Status: http.StatusRequestEntityTooLarge, Code: "content_too_large", Message: "the body is larger than 64 KiB"}
	}
	if err != nil {
		return Invalid(code, "the body ended early")
	}
	if jsonv2.Unmarshal(body, into, jsonv2.RejectUnknownMembers(true)) != nil { // the error may quote the body
		return Invalid(code, "want a JSON object, without duplicate members, of "+members)
	}
	return nil
}
