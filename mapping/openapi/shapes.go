package openapi

import "github.com/calfacade/calfacade/mapping"

// The shapes of what the facade answers by itself: its own descriptions, and
// errors.

// argumentShape describes a parameter in WordPress's own terms, which has a type
// only where WordPress gives one.
var argumentShape = shape("argument",
	mapping.Attribute{Name: "type", Optional: true},
	mapping.Attribute{Name: "items", Type: mapping.Free, Optional: true},
	mapping.Attribute{Name: "default", Type: mapping.Scalar, Optional: true},
	mapping.Attribute{Name: "enum", Type: mapping.Strings, Optional: true},
	mapping.Attribute{Name: "description"},
	mapping.Attribute{Name: "required", Type: mapping.Bool},
)

var handlerShape = shape("handler",
	mapping.Attribute{Name: "methods", Type: mapping.Strings, Text: "answer.route.methods"},
	mapping.Attribute{Name: "args", Type: mapping.Named, Shape: argumentShape},
)

var routeShape = shape("route",
	mapping.Attribute{Name: "namespace", Text: "answer.namespace.namespace"},
	mapping.Attribute{Name: "methods", Type: mapping.Strings},
	mapping.Attribute{Name: "endpoints", Type: mapping.Several, Shape: handlerShape},
	mapping.Attribute{Name: "_links", Type: mapping.NamedLists, Shape: mapping.LinkShape, Optional: true, Text: "answer.term._links"},
)

var namespaceShape = shape("namespace",
	mapping.Attribute{Name: "namespace"},
	mapping.Attribute{Name: "routes", Type: mapping.Named, Shape: routeShape},
	mapping.Attribute{Name: "_links", Type: mapping.NamedLists, Shape: mapping.LinkShape, Text: "answer.term._links"},
)

var documentShape = shape("document",
	mapping.Attribute{Name: "openapi"},
	mapping.Attribute{Name: "info", Type: mapping.Free, Text: "answer.document.part"},
	mapping.Attribute{Name: "servers", Type: mapping.Several, Shape: serverShape, Text: "answer.document.part"},
	mapping.Attribute{Name: "paths", Type: mapping.Free, Text: "answer.document.part"},
	mapping.Attribute{Name: "components", Type: mapping.Free, Text: "answer.document.part"},
)

var serverShape = shape("server", mapping.Attribute{Name: "url"})

// errorShape is WordPress's envelope.
var errorShape = shape("error",
	mapping.Attribute{Name: "code"},
	mapping.Attribute{Name: "message"},
	mapping.Attribute{Name: "data", Type: mapping.Single, Shape: errorDataShape, Null: true},
)

var errorDataShape = shape("error.data",
	mapping.Attribute{Name: "status", Type: mapping.Whole},
	mapping.Attribute{Name: "params", Type: mapping.NamesOrTexts, Optional: true},
	mapping.Attribute{Name: "details", Type: mapping.Named, Shape: errorDetailShape, Optional: true},
)

var errorDetailShape = shape("error.detail",
	mapping.Attribute{Name: "code"},
	mapping.Attribute{Name: "message", Text: "answer.error.message"},
	mapping.Attribute{Name: "data", Type: mapping.Free, Null: true},
)

// problemShape is RFC 9457's form of the same.
var problemShape = shape("problem",
	mapping.Attribute{Name: "type"},
	mapping.Attribute{Name: "title"},
	mapping.Attribute{Name: "status", Type: mapping.Whole, Text: "answer.error.data.status"},
	mapping.Attribute{Name: "detail", Optional: true, Text: "answer.error.message"},
	mapping.Attribute{Name: "code", Optional: true, Text: "answer.error.code"},
	mapping.Attribute{Name: "request_id", Text: "header.X-Request-Id"},
	mapping.Attribute{Name: "params", Type: mapping.Several, Shape: problemParamShape, Optional: true},
)

var problemParamShape = shape("problem.param",
	mapping.Attribute{Name: "name"},
	mapping.Attribute{Name: "message", Text: "answer.error.message"},
	mapping.Attribute{Name: "code", Text: "answer.error.detail.code"},
)

func shape(name string, attributes ...mapping.Attribute) *mapping.Shape {
	return &mapping.Shape{Name: name, Attributes: attributes}
}
