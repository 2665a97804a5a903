// Package rewrite turns responses of backends into responses of the facade: links, names and
// header fields become neutral, and content that people wrote stays byte for byte.
//
// Start with [Rewriter.Rewrite] in rewrite.go, which makes one pass over the bytes of a
// response along its shape in the table; strings.go rewrites strings by their class, and _links.
// rewriter.go has the URLs of a site, and [New] finds them out; links.go recognizes the links,
// pages and images of a site. message.go changes the messages of errors, and headers.go makes the
// header fields.
//
// A call of a client that speaks the legacy's names gets its response in these: legacy.go.
package rewrite
