// Package view makes views of responses in the neutral names: the members of items that a client selects, and texts
// as people read them. A view is a pure function of a whole response.
//
// Start with [Of] in view.go. plain.go reads HTML.
package view
