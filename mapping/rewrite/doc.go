// Package rewrite turns responses of backends into those of the facade: links, names and
// header fields become neutral, and content that people wrote stays byte for byte.
//
// Start with [Rewriter.Rewrite] in rewrite.go, which makes one pass over the bytes of a
// response along its shape in the table; strings.go rewrites strings by their class.
// sites.go, with [New], and links.go recognize the links of a site, pages.go its pages and
// images, message.go, rename.go and words.go the messages of errors, headers.go makes the
// header fields.
package rewrite
