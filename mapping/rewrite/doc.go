// Package rewrite turns responses of backends into those of the facade: links, names and
// header fields become neutral, and content that people wrote stays byte for byte.
//
// Start with [Rewriter.Rewrite] in rewrite.go, which makes one pass over the bytes of a
// response along its shape in the table; walker.go has the state of the pass, relations.go
// and strings.go rewrite _links and strings by their class. rewriter.go has what is known of
// a site, sites.go [New], which finds it out; links.go recognizes the links of a site,
// pages.go its pages and images. message.go, rename.go and words.go change the messages of
// errors, and headers.go makes the header fields.
//
// A call of a client that speaks the legacy's names gets its response in these: legacy.go.
package rewrite
