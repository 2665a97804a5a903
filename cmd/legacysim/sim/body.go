package sim

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"unicode/utf8"
)

// jsonError is json_last_error of a body that is no JSON.
type jsonError struct {
	code int
	text string
}

func (e *jsonError) Error() string { return e.text }

// parseJSON reads an object. Any other valid JSON has no parameters.
func parseJSON(body []byte) (params, error) {
	if len(body) == 0 {
		return params{}, nil
	}
	if !utf8.Valid(body) {
		return nil, &jsonError{5, "Malformed UTF-8 characters, possibly incorrectly encoded"}
	}
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || dec.More() {
		return nil, &jsonError{4, "Syntax error"}
	}
	fields, _ := v.(map[string]any)
	return fields, nil
}

// parseBody reads what has a content type it knows; text/plain or none is not
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
	for {
		part, err := r.NextPart()
		if err != nil {
			return p
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return p
		}
		if part.FileName() == "" {
			p.set(part.FormName(), string(value))
		}
	}
}

// merge puts the parameters together. The path comes first and loses: an id or
// slug in the query or body beats it.
func (c *call) merge(path params) error {
	c.path, c.params = map[string]string{}, path
	for name := range path {
		c.path[name] = path.str(name)
	}
	c.bySlug = c.path["slug"] != ""
	c.params.merge(c.query)
	body, err := parseBody(c.http.Header.Get("Content-Type"), c.body)
	if j, ok := errors.AsType[*jsonError](err); ok {
		e := &apiError{status: 400, code: "rest_invalid_json", message: c.root.lang.shared("error.rest_invalid_json")}
		e.data = object{{"json_error_code", j.code}, {"json_error_message", j.text}}
		return e
	}
	c.params.merge(body)
	return nil
}
