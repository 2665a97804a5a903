package mapping

// The shapes of what the facade answers by itself: what it says of itself, and
// errors.

// argumentShape describes a parameter in WordPress's own terms, which has a type
// only where WordPress gives one.
var argumentShape = localShape("argument",
	Attribute{Name: "type", Optional: true},
	Attribute{Name: "items", Type: Free, Optional: true},
	Attribute{Name: "default", Type: Scalar, Optional: true},
	Attribute{Name: "enum", Type: Strings, Optional: true},
	Attribute{Name: "description"},
	Attribute{Name: "required", Type: Bool},
)

var handlerShape = localShape("handler",
	Attribute{Name: "methods", Type: Strings, Text: "answer.route.methods"},
	Attribute{Name: "args", Type: Named, Shape: argumentShape},
)

var routeShape = localShape("route",
	Attribute{Name: "namespace", Text: "answer.index.namespace"},
	Attribute{Name: "methods", Type: Strings},
	Attribute{Name: "endpoints", Type: Several, Shape: handlerShape},
	Attribute{Name: "_links", Type: NamedLists, Shape: linkShape, Optional: true, Text: "answer.term._links"},
)

var indexShape = localShape("index",
	Attribute{Name: "namespace"},
	Attribute{Name: "routes", Type: Named, Shape: routeShape},
	Attribute{Name: "_links", Type: NamedLists, Shape: linkShape, Text: "answer.term._links"},
)

var documentShape = localShape("document",
	Attribute{Name: "openapi"},
	Attribute{Name: "info", Type: Free, Text: "answer.document.part"},
	Attribute{Name: "servers", Type: Several, Shape: serverShape, Text: "answer.document.part"},
	Attribute{Name: "paths", Type: Free, Text: "answer.document.part"},
	Attribute{Name: "components", Type: Free, Text: "answer.document.part"},
)

var serverShape = localShape("server", Attribute{Name: "url"})

// errorShape is WordPress's envelope.
var errorShape = localShape("error",
	Attribute{Name: "code"},
	Attribute{Name: "message"},
	Attribute{Name: "data", Type: Single, Shape: errorDataShape, Null: true},
)

var errorDataShape = localShape("error.data",
	Attribute{Name: "status", Type: Whole},
	Attribute{Name: "params", Type: NamesOrTexts, Optional: true},
	Attribute{Name: "details", Type: Named, Shape: errorDetailShape, Optional: true},
)

var errorDetailShape = localShape("error.detail",
	Attribute{Name: "code"},
	Attribute{Name: "message", Text: "answer.error.message"},
	Attribute{Name: "data", Type: Free, Null: true},
)

// problemShape is RFC 9457's form of the same.
var problemShape = localShape("problem",
	Attribute{Name: "type"},
	Attribute{Name: "title"},
	Attribute{Name: "status", Type: Whole, Text: "answer.error.data.status"},
	Attribute{Name: "detail", Optional: true, Text: "answer.error.message"},
	Attribute{Name: "code", Optional: true, Text: "answer.error.code"},
	Attribute{Name: "request_id", Text: "header.X-Request-Id"},
	Attribute{Name: "params", Type: Several, Shape: problemParamShape, Optional: true},
)

var problemParamShape = localShape("problem.param",
	Attribute{Name: "name"},
	Attribute{Name: "message", Text: "answer.error.message"},
	Attribute{Name: "code", Text: "answer.error.detail.code"},
)

func localShape(name string, attributes ...Attribute) *Shape {
	return &Shape{Name: name, Attributes: attributes}
}
