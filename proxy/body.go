package proxy

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	htmlcharset "golang.org/x/net/html/charset"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/problem"
)

// body reads the body of a write that is permitted, up to the limit.
func (f *Facade) body(x *exchange, id edge.Identity) (mapping.Node, error) {
	if f.edge.ReadOnly() && f.options.Cache != nil {
		f.options.Cache.ReadLog() // another instance may have ended read-only mode
	}
	if err := f.edge.AdmitWrite(x.request, id.Authorization != "" || id.Cookie != ""); err != nil {
		return mapping.Node{}, err
	}
	if x.request.ContentLength > f.options.MaxRequestBody { // the client may wait for a 100, which the first read sends
		return mapping.Node{}, &http.MaxBytesError{Limit: f.options.MaxRequestBody}
	}
	x.body = f.edge.Body(x.client(), http.MaxBytesReader(&x.out, x.request.Body, f.options.MaxRequestBody))
	data, err := io.ReadAll(x.body)
	var tooLarge *http.MaxBytesError
	var noRoom *problem.Error
	switch {
	case errors.As(err, &tooLarge), errors.As(err, &noRoom):
		return mapping.Node{}, err
	case err != nil:
		return mapping.Node{}, problem.InvalidBody(err)
	case len(data) == 0:
		return mapping.Node{}, nil
	}
	return decodeBody(x.request.Header, data)
}

func decodeBody(h http.Header, data []byte) (mapping.Node, error) {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case isCoded(h):
		return mapping.Node{}, problem.UnsupportedCoding()
	case kind == "application/json", strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"): // RFC 6839, 3.1
		// JSON has no parameters (RFC 8259, 11); a charset has no effect.
		body, err := mapping.DecodeJSON(data)
		return body, namingCharset(err, params["charset"])
	case err != nil:
		return mapping.Node{}, unsupported(err)
	case kind == "application/x-www-form-urlencoded":
		form, err := mapping.DecodeForm(string(data))
		if err == nil {
			err = form.Convert(func(text string) (string, error) { return toUTF8(text, params["charset"]) })
		}
		return form, err
	case kind == "multipart/form-data":
		return decodeMultipart(params, data)
	}
	return mapping.Node{}, unsupported(errors.New("content type"))
}

// isCoded reports whether a body has a content coding; "identity" stands for no coding (RFC 9110, 12.5.3).
func isCoded(h http.Header) bool {
	for coding := range strings.SplitSeq(strings.Join(h["Content-Encoding"], ","), ",") {
		coding = strings.TrimSpace(coding)
		if coding != "" && !strings.EqualFold(coding, "identity") {
			return true
		}
	}
	return false
}

// namingCharset adds to the error of a JSON body the charset that the client declares, if that is not UTF-8:
// the body may be well-formed in the declared charset.
func namingCharset(err error, charset string) error {
	bad, ok := errors.AsType[*mapping.JSONError](err)
	if !ok || !charsetName.MatchString(charset) || strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8") {
		return err
	}
	named := *bad
	named.Message += ": JSON is read as UTF-8, not as " + charset
	return &named
}

// charsetName matches the names of charsets (RFC 2978, 2.3), as far as they are shown.
var charsetName = regexp.MustCompile("^[A-Za-z0-9!#$%&'+^_`{}~.:-]{1,40}$")

func unsupported(cause error) *problem.Error {
	return problem.UnsupportedMediaType("rest_unsupported_media_type", cause)
}

// decodeMultipart reads the fields of a form, and skips files, which the contract does not have: images are
// named by id or URL. params are the parameters of the form's media type.
func decodeMultipart(params map[string]string, data []byte) (mapping.Node, error) {
	var pairs []string
	reader := multipart.NewReader(bytes.NewReader(data), params["boundary"])
	for {
		part, err := reader.NextPart()
		if err == io.EOF { // a wrapped one is a truncated form
			return mapping.DecodeForm(strings.Join(pairs, "&"))
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
		_, partParams, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
		text, err := toUTF8(string(value), cmp.Or(partParams["charset"], params["charset"]))
		if err != nil {
			return mapping.Node{}, err
		}
		pairs = append(pairs, url.QueryEscape(part.FormName())+"="+url.QueryEscape(text))
	}
}

// brokenForm hides the cause: package multipart quotes the body.
func brokenForm() *problem.Error {
	return problem.InvalidBody(errors.New("malformed multipart form"))
}

// isFile reports whether a part is a file. A file that the user did not choose has an empty name.
func isFile(part *multipart.Part) bool {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	_, named := params["filename"]
	return err != nil || named
}

// toUTF8 returns a text of a form as UTF-8. charset is a name that browsers know; "" is UTF-8, which mapping
// checks. UTF-16 is refused: a UTF-16 form has no ASCII names.
func toUTF8(text, charset string) (string, error) {
	encoding, name := htmlcharset.Lookup(cmp.Or(charset, "utf-8"))
	switch {
	case encoding == nil || strings.HasPrefix(name, "utf-16"):
		return "", problem.UnsupportedMediaType("calendar_unsupported_charset", errors.New("charset"))
	case name != "utf-8":
		converted, err := encoding.NewDecoder().String(text)
		if err != nil || strings.ContainsRune(converted, utf8.RuneError) {
			return "", brokenForm()
		}
		return converted, nil
	}
	return text, nil
}
