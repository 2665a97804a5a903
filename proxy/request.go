package proxy

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/problem"
)

// body reads the body of a write that is permitted, up to the limit.
func (f *Facade) body(x *exchange) (mapping.Node, error) {
	id := identity.Of(x.in, f.options.Cookies)
	if f.edge.ReadOnly() && f.options.Cache != nil {
		f.options.Cache.Look() // another instance may have ended read-only mode
	}
	if err := f.edge.AdmitWrite(x.in, id.Authorization != "" || id.Cookie != ""); err != nil {
		return mapping.Node{}, err
	}
	if x.in.ContentLength > f.options.MaxRequestBody { // the client may wait for a 100, which the first read sends
		return mapping.Node{}, &http.MaxBytesError{Limit: f.options.MaxRequestBody}
	}
	x.body = f.edge.Body(http.MaxBytesReader(&x.out, x.in.Body, f.options.MaxRequestBody))
	data, err := io.ReadAll(x.body)
	var tooLarge *http.MaxBytesError
	var noRoom *problem.Error
	switch {
	case errors.As(err, &tooLarge), errors.As(err, &noRoom):
		return mapping.Node{}, err
	case err != nil:
		return mapping.Node{}, &problem.Error{Status: http.StatusBadRequest, Code: "rest_invalid_body", Err: err}
	case len(data) == 0:
		return mapping.Node{}, nil
	}
	return decodeBody(x.in.Header, data)
}

func decodeBody(h http.Header, data []byte) (mapping.Node, error) {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case h.Get("Content-Encoding") != "":
		return mapping.Node{}, unsupported(errors.New("content encoding"))
	case isJSON(kind): // it has no parameters (RFC 8259, 11); a charset has no effect
		return mapping.DecodeJSON(data)
	case err != nil:
		return mapping.Node{}, unsupported(err)
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		return decodeForm(string(data), params["charset"])
	case "multipart/form-data":
		return decodeMultipart(params, data)
	}
	return mapping.Node{}, unsupported(errors.New("content type"))
}

func decodeForm(raw, charset string) (mapping.Node, error) {
	n, err := mapping.DecodeForm(raw)
	if err == nil {
		err = n.Convert(func(text string) (string, error) { return toUTF8(text, charset) })
	}
	return n, err
}

// isJSON reports whether a media type is JSON, or a form of it (RFC 6839, 3.1).
func isJSON(kind string) bool {
	return kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}

func unsupported(cause error) *problem.Error {
	return &problem.Error{Status: http.StatusUnsupportedMediaType, Code: "rest_unsupported_media_type", Err: cause}
}

// decodeMultipart reads the fields of a form. It skips files, which the contract does not
// have: images are named by id or URL. params are those of the form's media type.
func decodeMultipart(params map[string]string, data []byte) (mapping.Node, error) {
	var pairs []mapping.Pair
	reader := multipart.NewReader(bytes.NewReader(data), params["boundary"])
	for {
		part, err := reader.NextPart()
		if err == io.EOF { // a wrapped one is a truncated form
			return mapping.DecodePairs(pairs)
		}
		if err != nil {
			return mapping.Node{}, brokenForm()
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return mapping.Node{}, brokenForm()
		}
		if isFile(part) {
			continue
		}
		_, own, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
		text, err := toUTF8(string(value), cmp.Or(own["charset"], params["charset"]))
		if err != nil {
			return mapping.Node{}, err
		}
		pairs = append(pairs, mapping.Pair{Name: part.FormName(), Value: text})
	}
}

// brokenForm hides the cause: package multipart quotes the body.
func brokenForm() *problem.Error {
	return &problem.Error{Status: http.StatusBadRequest, Code: "rest_invalid_body", Err: errors.New("malformed multipart form")}
}

// isFile reports whether a part is a file. The name of one that the user did not choose is
// present and empty.
func isFile(part *multipart.Part) bool {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	_, named := params["filename"]
	return err != nil || named
}
