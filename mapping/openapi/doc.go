// Package openapi derives from the table of package mapping what readers need: the
// OpenAPI document, and the namespace index and the responses to OPTIONS in WordPress's own form.
//
// Start with [Document] in document.go: operations.go, responses.go, parameters.go and schema.go have the parts, and
// parts.go the parts that all of these name or that own.json has. [ClientDocument] is the form for generators of
// clients. [Description] in description.go is WordPress's form.
package openapi
