package mappingtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/openapi"
)

// Contract has the promises of an OpenAPI document, and validates responses.
type Contract struct {
	doc      *openapi3.T
	excerpts bool
}

// LoadContract reads a document. With excerpts, a response may lack required members, and
// be an error of any status: the replies of a made-up site often have only the members of a
// test's subject.
func LoadContract(document []byte, excerpts bool) (*Contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, err
	}
	if excerpts {
		for name, schema := range doc.Components.Schemas {
			if !strings.HasPrefix(name, "Error") && !strings.HasPrefix(name, "Problem") {
				schema.Value.Required = nil
			}
		}
	}
	return &Contract{doc: doc, excerpts: excerpts}, nil
}

// transport are the header fields of the transport of a response and of the rules for
// browsers; the document is not about them.
var transport = []string{
	"Access-Control-Allow-Credentials", "Access-Control-Allow-Headers", "Access-Control-Allow-Methods",
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Connection", "Content-Encoding", "Content-Length",
	"Content-Type", "Date", "Referrer-Policy", "Server-Timing", "Strict-Transport-Security", "X-Content-Type-Options",
	"X-Robots-Tag",
}

// Check returns an error for a response with more than the document promises, or with less.
// path is one of the table, or any other.
func (c *Contract) Check(method, path string, res *http.Response, body []byte) error {
	response, err := c.response(method, path, res.StatusCode)
	if err != nil {
		return err
	}
	if err := checkHeaders(response, res.Header); err != nil {
		return err
	}
	return c.checkBody(response, method, res, body)
}

// response returns the description of a status. A path without an operation has the
// response of any error.
func (c *Contract) response(method, path string, status int) (*openapi3.Response, error) {
	if path == "" {
		path = "/"
	}
	item := c.doc.Paths.Value(path)
	var op *openapi3.Operation
	if item != nil {
		op = item.Operations()[method]
	}
	if op == nil {
		if statuses := []int{404, 405, 414, 400, 500, 501}; !slices.Contains(statuses, status) {
			return nil, fmt.Errorf("status %d without an operation", status)
		}
		return c.doc.Components.Responses["default"].Value, nil
	}
	documented := op.Responses.Value(strconv.Itoa(status))
	if documented == nil && method == http.MethodHead && status >= http.StatusBadRequest {
		documented = op.Responses.Default()
	}
	if documented == nil && c.excerpts && status >= http.StatusBadRequest {
		documented = op.Responses.Default()
	}
	if documented == nil {
		return nil, fmt.Errorf("status %d is not documented for %s", status, op.OperationID)
	}
	return documented.Value, nil
}

func checkHeaders(response *openapi3.Response, fields http.Header) error {
	documented := map[string]*openapi3.Header{}
	for name, header := range response.Headers {
		documented[http.CanonicalHeaderKey(name)] = header.Value
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		name = http.CanonicalHeaderKey(name)
		if documented[name] == nil && !slices.Contains(transport, name) {
			return fmt.Errorf("header %s is not documented", name)
		}
		if h := documented[name]; h != nil && h.Schema.Value.Type.Is("integer") {
			if _, err := strconv.Atoi(fields.Get(name)); err != nil {
				return fmt.Errorf("header %s is no whole number: %w", name, err)
			}
		}
	}
	for name, header := range documented {
		if header.Required && fields.Get(name) == "" {
			return fmt.Errorf("header %s is missing", name)
		}
	}
	return nil
}

func (c *Contract) checkBody(response *openapi3.Response, method string, res *http.Response, body []byte) error {
	if method == http.MethodHead || len(response.Content) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("a body of %d bytes where none is documented", len(body))
		}
		return nil
	}
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	media := response.Content[kind]
	if media == nil {
		return fmt.Errorf("content type %s is not documented", kind)
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return err
	}
	if err := c.doc.ValidateSchemaJSON(media.Schema.Value, v); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return c.checkCode(response, kind, v)
}

// checkCode checks that a code is documented for the status, with excerpts only one of the
// facade's own.
func (c *Contract) checkCode(response *openapi3.Response, kind string, v any) error {
	codes, ok := response.Extensions["x-codes"].([]any)
	object, isObject := v.(map[string]any)
	if !ok || !isObject {
		return nil
	}
	code, _ := object["code"].(string)
	if (!c.excerpts || openapi.OwnCode(code)) && !slices.Contains(codes, any(code)) {
		return fmt.Errorf("%s: code %s is not documented for the status", kind, code)
	}
	return nil
}

// TablePath returns the path of the table that a URL's path is for, or something that
// the table does not have. The namespace may be below any root.
func TablePath(urlPath string) string {
	_, path, ok := strings.Cut(strings.ToLower(mapping.DecodeUnreserved(urlPath)), "/"+mapping.Namespace)
	if !ok {
		return "none"
	}
	path = strings.TrimRight(path, "/")
	if base, _, isSlug := strings.Cut(path, "/"+mapping.SlugLiteral+"/"); isSlug {
		return base + "/" + mapping.SlugLiteral + "/{slug}"
	}
	i := strings.LastIndexByte(path, '/') + 1
	if i > 1 && i < len(path) && strings.Trim(path[i:], "0123456789") == "" {
		return path[:i] + "{id}"
	}
	return path
}
