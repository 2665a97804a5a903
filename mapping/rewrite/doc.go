// Package rewrite turns responses of backends into responses of the facade: links, names and
// header fields become neutral, and content that people wrote stays byte for byte.
//
// Start with [Rewriter.Rewrite] in rewrite.go, which makes one pass over the bytes of a response along the
// shape in the table. strings.go rewrites strings by class, with message.go for the messages of errors and for
// responses of the legacy in the legacy's names, and links.go for links of the REST interface, pages and images.
// headers.go makes the header fields. Below all is rewriter.go, where
// [New] finds out the URLs of a site and the names that clients speak, and roots.go.
package rewrite
