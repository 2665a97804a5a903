package sim

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"strings"
	"unicode/utf8"
)

// badJSON is an error with PHP's json_last_error of a body that is no JSON.
func badJSON(code int, text string) error {
	return refusal(400, "rest_invalid_json", "").with("json_error_code", code).with("json_error_message", text)
}

// parseJSON reads an object. Any other valid JSON has no parameters.
func parseJSON(body []byte) (params, error) {
	if len(body) == 0 {
		return params{}, nil
	}
	if !utf8.Valid(body) {
		return nil, badJSON(5, "Malformed UTF-8 characters, possibly incorrectly encoded")
	}
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || dec.More() {
		return nil, badJSON(4, "Syntax error")
	}
	fields, _ := v.(map[string]any)
	return fields, nil
}

// parseBody reads a body with a known content type; a body without a content type, or with text/plain, is not
// parsed.
func parseBody(contentType string, body []byte) (params, error) {
	media, attrs, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return params{}, nil
	case media == "application/json", strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"):
		return parseJSON(body)
	case media == "application/x-www-form-urlencoded":
		return parseQuery(string(body)), nil
	case media == "multipart/form-data":
		return parseMultipart(body, attrs["boundary"]), nil
	}
	return params{}, nil
}

// parseMultipart gives up silently at the first broken part, as PHP does.
func parseMultipart(body []byte, boundary string) params {
	p := params{}
	r := multipart.NewReader(strings.NewReader(string(body)), boundary)
	for part, err := r.NextPart(); err == nil; part, err = r.NextPart() {
		value, err := io.ReadAll(part)
		if err == nil && part.FileName() == "" {
			p.set(part.FormName(), string(value))
		}
	}
	return p
}

// merge puts the parameters together. The path comes first and loses: an id or slug in the query or body
// beats the path.
func (c *call) merge(path params) error {
	c.path = maps.Clone(path)
	c.params = path
	c.bySlug = c.path.str("slug") != ""
	maps.Copy(c.params, c.query)
	body, err := parseBody(c.http.Header.Get("Content-Type"), c.body)
	if e, ok := errors.AsType[*apiError](err); ok {
		e.message = c.root.lang.shared("error.rest_invalid_json", nil)
		return e
	}
	maps.Copy(c.params, body)
	return nil
}
