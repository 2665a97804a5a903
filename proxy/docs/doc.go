// Package docs makes the documentation that the facade serves: a page for people, the
// files that it loads, the OpenAPI documents, and the start page that links to them. Start reading
// at [Docs.Document].
//
// The package writes no responses: the methods return bodies, and the header fields that are
// theirs alone. Package proxy negotiates, and adds the fields that all responses have.
package docs
